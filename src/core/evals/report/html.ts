import type { Block, ReportDocument, Table, TableCell } from './document.ts';
import { escapeHtml } from './escape-html.ts';
import { STYLE } from './html-style.ts';
import { toSvg } from './plots.ts';

/**
 * A report as one HTML file: no script, nothing loaded, light or dark as the reader's system is. A policy in the page
 * forbids all else, whatever the texts of others hold.
 */
export function toHtml({ title, blocks }: ReportDocument): string {
  let plots = 0;
  const nextId = () => `plot-${++plots}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${sections(blocks, nextId)}
</main>
</body>
</html>
`;
}

/** Each heading and what follows it stand in a section of their own. */
function sections(blocks: readonly Block[], nextId: () => string): string {
  const parts: string[] = [];
  let open = false;
  for (const part of blocks) {
    if (part.kind === 'heading') {
      parts.push(open ? '</section>\n<section>' : '<section>');
      open = true;
    }
    parts.push(block(part, nextId));
  }
  if (open) parts.push('</section>');
  return parts.filter((part) => part !== '').join('\n');
}

function block(part: Block, nextId: () => string): string {
  switch (part.kind) {
    case 'heading':
      return `<h2>${escapeHtml(part.text)}</h2>`;
    case 'text':
      return `<p>${escapeHtml(part.text)}</p>`;
    case 'lead':
      return `<p class="lead">${escapeHtml(part.text)}</p>`;
    case 'list':
      return `<ul>\n${part.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('\n')}\n</ul>`;
    case 'code':
      return `<pre tabindex="0"><code>${part.text
        .split(/\r\n|[\r\n]/)
        .map(escapeHtml)
        .join('\n')}</code></pre>`;
    case 'details': {
      const inner = part.blocks.map((inside) => block(inside, nextId)).join('\n');
      const id = part.id === undefined ? '' : ` id="${escapeHtml(part.id)}"`;
      return `<details${id}>\n<summary>${escapeHtml(part.summary)}</summary>\n${inner}\n</details>`;
    }
    case 'plot': {
      const drawing = toSvg(part.plot, nextId());
      // The others stand under a heading that names them.
      const caption = part.plot.kind === 'columns' ? `<figcaption>${escapeHtml(part.plot.title)}</figcaption>\n` : '';
      return drawing === '' ? '' : `<figure>\n${caption}${drawing}\n</figure>`;
    }
    case 'table':
      return table(part);
  }
}

function table({ columns, rows }: Table): string {
  const side = (index: number) => (columns[index]?.type === 'number' ? ' class="number"' : '');
  const head = columns.map(({ name }, index) =>
    name === '' ? '<td></td>' : `<th scope="col"${side(index)}>${escapeHtml(name)}</th>`,
  );
  const body = rows.map((cells) => {
    const [first, ...others] = cells.map(cellHtml);
    const rest = others.map((cell, index) => `<td${side(index + 1)}>${cell}</td>`);
    return `<tr><th scope="row">${first ?? ''}</th>${rest.join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table by ${escapeHtml(columns[0]?.name || 'row')}">
<table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
</div>`;
}

function cellHtml(cell: TableCell): string {
  if (typeof cell === 'string') return escapeHtml(cell);
  if ('code' in cell) return `<code>${escapeHtml(cell.code)}</code>`;
  const link = ({ text, to }: (typeof cell.links)[number]) =>
    to === null ? escapeHtml(text) : `<a href="#${escapeHtml(to)}">${escapeHtml(text)}</a>`;
  return cell.links.map(link).join(', ');
}
