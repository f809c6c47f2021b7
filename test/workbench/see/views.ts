import type { FrameLocator, Locator, Page } from 'playwright-core';

/** A window that was reloaded starts its extension host anew: on a busy machine that alone takes half of this. */
const PATIENCE_MS = 50_000;

/** The visible webview that shows `tag`. @throws Error where none does within 50 s. */
async function viewOf(page: Page, tag: string): Promise<FrameLocator> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const count = await page.locator('iframe.webview.ready').count();
    for (let nth = 0; nth < count; nth += 1) {
      // By its name: its number changes when others come and go.
      const name = await page
        .locator('iframe.webview.ready')
        .nth(nth)
        .getAttribute('name', { timeout: 1000 })
        .catch(() => null);
      if (name === null) continue;
      const view = page
        .locator(`iframe.webview[name="${name}"]`)
        .contentFrame()
        .locator('iframe#active-frame')
        .contentFrame();
      if (
        (await view
          .locator(tag)
          .count()
          .catch(() => 0)) > 0
      )
        return view;
    }
    if (Date.now() > end) throw new Error(`no webview shows ${tag}`);
    await page.waitForTimeout(100);
  }
}

/** The inside of the database editor that is seen. */
export const databaseView = (page: Page): Promise<FrameLocator> => viewOf(page, 'database-app');

/** The inside of the ask panel that is seen. */
export const askView = (page: Page): Promise<FrameLocator> => viewOf(page, 'ask-app');

/** The inside of the panel of a run's item that is seen. */
export const itemView = (page: Page): Promise<FrameLocator> => viewOf(page, 'item-app');

/** The inside of the panel in which a query is looked into. */
export const diagnosisView = (page: Page): Promise<FrameLocator> => viewOf(page, 'diagnosis-app');

/** The inside of the comparison of two runs that is seen. */
export const compareView = (page: Page): Promise<FrameLocator> => viewOf(page, 'compare-app');

/** The inside of the view of a training run that is seen. */
export const trainingView = (page: Page): Promise<FrameLocator> => viewOf(page, 'training-app');

/** The inside of the report of a run that is seen. */
export const reportView = (page: Page): Promise<FrameLocator> => viewOf(page, 'main > h1');

/** Waits until the clipboard holds a text that fits, and returns what it holds in the end. */
export async function clipboard(page: Page, expected: string | RegExp): Promise<string> {
  const end = Date.now() + 5000;
  for (;;) {
    const text: string = await page.evaluate('navigator.clipboard.readText()');
    const fits = typeof expected === 'string' ? text === expected : expected.test(text);
    if (fits || Date.now() > end) return text;
    await page.waitForTimeout(20);
  }
}

/** What a screen reader could act on but not name, in what `root` shows. */
export async function nameless(root: Locator): Promise<string[]> {
  const lines = (await root.ariaSnapshot()).split('\n');
  const acting = /^\s*- (button|textbox|searchbox|combobox|grid|tree|treeitem|tab|tabpanel|menu|menuitem|separator)\b/;
  return lines.filter((line) => acting.test(line) && !/^\s*- \w+ "/.test(line));
}

/** Collects what the page's console says of content that a policy refused. */
export function refusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy/i.test(text)) refused.push(text);
  });
  return refused;
}

/** Looks for a text in all that the workbench keeps in the browser. A text, since it runs there. */
const LOOK_UP = `async (text) => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue;
    const database = await done(indexedDB.open(name));
    const stores = [...database.objectStoreNames];
    const all = await Promise.all(stores.map((store) => done(database.transaction(store).objectStore(store).getAll())));
    database.close();
    if (JSON.stringify(all).includes(text)) return true;
  }
  return false;
}`;

/**
 * Waits until the workbench has a text on disk. In a browser it writes every five seconds what is to be there after a
 * reload, since nothing can be waited for while a page ends; on a desk it writes when the window closes.
 */
export async function keptByWorkbench(page: Page, text: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await page.evaluate(`(${LOOK_UP})(${JSON.stringify(text)})`))) {
    if (Date.now() > end) throw new Error(`the workbench does not keep "${text}"`);
    await page.waitForTimeout(100);
  }
}
