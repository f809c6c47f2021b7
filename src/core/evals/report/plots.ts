import { count, interval, percents, rate } from '../../../protocol/figures.ts';
import type { Share } from '../../../protocol/score.ts';
import type { Plot } from './document.ts';
import { escapeHtml } from './escape-html.ts';

// Drawings as inline SVG. Places across are in percents of the width and places down in pixels, so that a drawing fits
// any width with its text at the size of the page.

const ROW = 46;
const LABEL_AT = 14;
const LINE_AT = 26;
/** Room for the numbers of the axis. */
const AXIS = 24;
const COLUMNS_HEIGHT = 160;
/** Of the width, in percents. */
const WIDEST_COLUMN = 15;

/** A drawing with its title, for one page. @param id unique in the page. '' where there is nothing to draw */
export function toSvg(plot: Plot, id: string): string {
  if (plot.rows.length === 0) return '';
  switch (plot.kind) {
    case 'intervals':
      return onScale(
        plot,
        id,
        plot.rows.map(({ label, share }, index) => intervalRow(label, share, index * ROW)),
      );
    case 'pairs':
      return onScale(
        plot,
        id,
        plot.rows.map(({ label, a, b }, index) => pairRow(label, a, b, index * ROW)),
        KEY,
      );
    case 'bars':
      return bars(plot, id);
    case 'columns':
      return columns(plot, id);
  }
}

function frame({ title, description }: Plot, id: string, height: number, content: string): string {
  return [
    `<svg role="img" aria-labelledby="${id}-title ${id}-text" width="100%" height="${height}">`,
    `<title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-text">${escapeHtml(description)}</desc>`,
    content,
    '</svg>',
  ].join('\n');
}

const KEY =
  '<p class="key" aria-hidden="true"><svg width="12" height="12"><circle class="a" cx="6" cy="6" r="4"/></svg> A ' +
  '<svg width="12" height="12"><circle class="b" cx="6" cy="6" r="5"/></svg> B</p>';

/** Rows over an axis from 0 to 100 %. */
function onScale(plot: Plot, id: string, rows: readonly string[], key = ''): string {
  const bottom = rows.length * ROW;
  const ticks = [0, 25, 50, 75, 100].map((tick) => {
    const anchor = tick === 0 ? 'start' : tick === 100 ? 'end' : 'middle';
    return (
      `<line class="grid" x1="${tick}%" x2="${tick}%" y1="0" y2="${bottom}"/>` +
      `<text class="tick" x="${tick}%" y="${bottom + 16}" text-anchor="${anchor}">${tick}${tick === 100 ? ' %' : ''}</text>`
    );
  });
  return key + frame(plot, id, bottom + AXIS, [...ticks, ...rows].join('\n'));
}

function labels(label: string, value: string, extra: string, top: number): string {
  const more = extra === '' ? '' : ` <tspan class="extra">${escapeHtml(extra)}</tspan>`;
  return (
    `<text class="label" x="0" y="${top + LABEL_AT}">${escapeHtml(short(label))}</text>` +
    `<text class="value" x="100%" y="${top + LABEL_AT}" text-anchor="end">${escapeHtml(value)}${more}</text>`
  );
}

const LONGEST_LABEL = 26;

function short(label: string): string {
  const characters = [...label];
  return characters.length <= LONGEST_LABEL ? label : `${characters.slice(0, LONGEST_LABEL - 1).join('')}…`;
}

function intervalRow(label: string, share: Share, top: number): string {
  const y = top + LINE_AT;
  const named = labels(label, rate(share), `${interval(share)}, n = ${count(share.of)}`, top);
  if (share.of === 0) return named;
  return `${named}<rect class="track" x="0" width="100%" y="${y - 4}" height="8" rx="4"/>${mark('one', share, y)}`;
}

function pairRow(label: string, a: Share, b: Share, top: number): string {
  const y = top + LINE_AT;
  const named = labels(label, `${rate(a)} → ${rate(b)}`, `n = ${count(a.of)}`, top);
  if (a.of === 0 || b.of === 0) return named;
  return `${named}${mark('a', a, y)}${mark('b', b, y + 6)}`;
}

/** A whisker over the interval and a dot at the share. */
function mark(series: 'one' | 'a' | 'b', { right, of, low, high }: Share, y: number): string {
  const at = percents(right / of);
  return (
    `<line class="whisker ${series}" x1="${percents(low)}%" x2="${percents(high)}%" y1="${y}" y2="${y}"/>` +
    `<circle class="${series}" cx="${at}%" cy="${y}" r="${series === 'a' ? 4 : 5}"/>`
  );
}

function bars(plot: Extract<Plot, { kind: 'bars' }>, id: string): string {
  const total = plot.rows.reduce((sum, { value }) => sum + value, 0);
  const rows = plot.rows.map(({ label, value, tone }, index) => {
    const y = index * ROW + LINE_AT - 4;
    const share = percents(value / total);
    return (
      labels(label, count(value), `${share} %`, index * ROW) +
      `<rect class="track" x="0" width="100%" y="${y}" height="8" rx="4"/>` +
      `<rect class="bar ${tone}" x="0" width="${share}%" y="${y}" height="8" rx="4"/>`
    );
  });
  return frame(plot, id, rows.length * ROW, rows.join('\n'));
}

function columns(plot: Extract<Plot, { kind: 'columns' }>, id: string): string {
  const most = Math.max(...plot.rows.map(({ value }) => value));
  const each = Math.min(WIDEST_COLUMN, 100 / plot.rows.length);
  const base = COLUMNS_HEIGHT - AXIS;
  const drawn = plot.rows.map(({ label, value }, index) => {
    const height = Math.max(value > 0 ? 2 : 0, (value / most) * (base - 20));
    const left = index * each;
    const number = value === 0 ? '' : count(value);
    return (
      `<rect class="bar neutral" x="${(left + 0.08 * each).toFixed(2)}%" width="${(0.84 * each).toFixed(2)}%" y="${(base - height).toFixed(1)}" height="${height.toFixed(1)}"/>` +
      `<text class="value" x="${(left + each / 2).toFixed(2)}%" y="${(base - height - 5).toFixed(1)}" text-anchor="middle">${number}</text>` +
      `<text class="tick" x="${(left + 0.08 * each).toFixed(2)}%" y="${base + 16}">${escapeHtml(label)}</text>`
    );
  });
  const line = `<line class="axis" x1="0" x2="100%" y1="${base}" y2="${base}"/>`;
  return frame(plot, id, COLUMNS_HEIGHT, [...drawn, line].join('\n'));
}
