// Chromium without a window, and the ways of a person through the workbench.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type FrameLocator, type Locator, type Page } from 'playwright-core';

const CANDIDATES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** Path of the browser: `CHROMIUM`, or where systems put it; null where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env['CHROMIUM'];
  return [...(named ? [named] : []), ...CANDIDATES].find((path) => existsSync(path)) ?? null;
}

/** Starts a browser without a window. @throws Error where no Chromium is found. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error('No Chromium was found. Install it, or name it by the variable CHROMIUM.');
  return await chromium.launch({ executablePath, headless: true, args: QUIET });
}

/**
 * Opens the workbench of a server in a page of its own.
 * @param folder absolute path of the workspace folder
 * @param size pixels of the window. A window that still starts can miss a later change of its size and keep the old one.
 */
export async function openWorkbench(
  browser: Browser,
  url: string,
  folder: string,
  size: { width: number; height: number } = { width: 1400, height: 900 },
): Promise<Page> {
  const context = await browser.newContext({ viewport: size });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const address = new URL(url);
  address.searchParams.set('folder', folder);
  await page.goto(address.href);
  await page.locator('.monaco-workbench .activitybar').waitFor({ timeout: 60_000 });
  return page;
}

/**
 * Opens a quick list by `key`, types, and picks `row`. The list is made when it opens and misses what extensions
 * contribute later, so it is opened again until the row is there.
 */
async function pickQuickly(page: Page, key: string, text: string, row: string | RegExp): Promise<void> {
  const end = Date.now() + 45_000;
  for (;;) {
    await page.keyboard.press(key);
    try {
      await page.locator('.quick-input-widget input[type=text]').first().fill(text, { timeout: 2500 });
      const found = quickRow(page, row);
      await found.waitFor({ timeout: 2500 });
      await found.click();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await page.keyboard.press('Escape');
    }
  }
}

/** A row of the quick pick that is open. */
export function quickRow(page: Page, text: string | RegExp): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
}

/** Runs a command by its title in the palette, e.g. "SQL Agent: Show Log". */
export async function runCommand(page: Page, title: string): Promise<void> {
  await pickQuickly(page, 'F1', `>${title}`, title);
}

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
  await pickQuickly(page, 'Control+P', name, name);
}

/** Types into the input box whose title or prompt has `title` in it, once it is there, and accepts. */
export async function answerInput(page: Page, title: string, text: string): Promise<void> {
  const box = page.locator('.quick-input-widget', { hasText: title });
  await box.waitFor({ state: 'visible' });
  await box.locator('input').first().fill(text);
  await page.keyboard.press('Enter');
}

/**
 * The inside of a webview: two nested frames, the outer one VS Code's, the inner one ours.
 * @param nth which of the visible webviews, from 0.
 */
export function webview(page: Page, nth = 0): FrameLocator {
  return page.locator('iframe.webview.ready').nth(nth).contentFrame().locator('iframe#active-frame').contentFrame();
}

/** The text of a notification that is shown, e.g. to wait for it. */
export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator('.notification-toast', { hasText: text }).first();
}
