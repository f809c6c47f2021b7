import type { FrameLocator, Page } from 'playwright-core';
import { webview } from '../../../scripts/workbench/browser.ts';

const PATIENCE_MS = 30_000;

/** The visible webview that shows `tag`. @throws Error where none does within 30 s. */
async function viewOf(page: Page, tag: string): Promise<FrameLocator> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const count = await page.locator('iframe.webview.ready').count();
    for (let nth = 0; nth < count; nth += 1) {
      const view = webview(page, nth);
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

/** Collects what the page's console says of content that a policy refused. */
export function refusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy/i.test(text) && message.location().url.includes('webview')) refused.push(text);
  });
  return refused;
}
