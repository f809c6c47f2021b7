/** Puts an element into the page, over all of it. */
export function mount(tag: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html, body { height: 100%; margin: 0; padding: 0; } body { overflow: hidden; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  document.body.append(document.createElement(tag));
}
