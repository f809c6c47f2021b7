import { html, svg, type TemplateResult } from 'lit';

/** Pictures of 16 by 16, drawn as lines. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  alert: 'M8 2.5 14 13H2zM8 6.5V10M8 11.4v.1',
  answer: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  beaker: 'M6.5 2v4.2L2.8 12.6a.9.9 0 0 0 .8 1.4h8.8a.9.9 0 0 0 .8-1.4L9.5 6.2V2M5.2 2h5.6M4.7 9.8h6.6',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'M6 4l4 4-4 4',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
  close: 'M4 4l8 8M12 4l-8 8',
  column: 'M3 4h10M3 8h10M3 12h6',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  database:
    'M3 4c0-1 2.2-1.8 5-1.8S13 3 13 4s-2.2 1.8-5 1.8S3 5 3 4zM3 4v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.8V4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8',
  down: 'M4 6l4 4 4-4',
  edit: 'M3 13l.7-2.8L11 3l2 2-7.2 7.3zM9.6 4.4l2 2',
  error: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM6 6l4 4M10 6l-4 4',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  filter: 'M2.5 3.5h11L9.5 8v4.5l-3-1.5V8z',
  follow: 'M3 3v4.5a2 2 0 0 0 2 2h8M10 6.5l3 3-3 3',
  info: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.4V11M8 5v.1',
  key: 'M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8.3 7.7 3 13M4.5 11.5l1.5 1.5M6.3 9.7l1.5 1.5',
  link: 'M7 5H5a3 3 0 0 0 0 6h2M9 5h2a3 3 0 0 1 0 6H9M6 8h4',
  model: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  play: 'M5 3.2 12.5 8 5 12.8z',
  remove: 'M3 8h10',
  reload: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
  send: 'M2.5 8 13.5 3l-3.2 10.2-2.6-4.4zM7.7 8.8 13.5 3',
  stop: 'M4.5 4.5h7v7h-7z',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  view: 'M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  virtual: 'M2.5 3.5h2M6.5 3.5h3M11.5 3.5h2v2M13.5 7.5v2M13.5 11.5v1h-2M9.5 12.5h-3M4.5 12.5h-2v-2M2.5 8.5v-3M5.5 8h5',
  vote: 'M3 13.5v-5M8 13.5v-11M13 13.5v-8',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture that says nothing to screen readers: the text beside it does. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon ${name}" viewBox="0 0 16 16" aria-hidden="true">${svg`<path d=${PATHS[name]} />`}</svg>`;
}
