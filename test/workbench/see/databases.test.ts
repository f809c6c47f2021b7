import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { webview } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

describe('the Databases view, as a person sees it', () => {
  const workbench = useWorkbench();
  const row = (name: string | RegExp) =>
    workbench().page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first();

  it('lists what begins as a database does, and nothing else', async () => {
    const { page } = workbench();
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await row('chinook.sqlite').waitFor();
    await row('music.db').waitFor();
    assert.equal(await page.locator('.pane-body .monaco-list-row').count(), 2);
  });

  it('opens a database to its tables and a table to its columns', async () => {
    await row('chinook.sqlite').locator('.monaco-tl-twistie').click();
    await row(/^Album/)
      .locator('.monaco-tl-twistie')
      .click();
    await row(/AlbumId.*INTEGER/).waitFor();
    await row(/ArtistId.*→ Artist\.ArtistId/).waitFor();
  });

  it('opens the editor at the table that is clicked', async () => {
    await row(/^Genre/).click();
    const { page } = workbench();
    await page.getByRole('tab', { name: /chinook\.sqlite/ }).waitFor();
    await webview(page).getByRole('grid').getByText('Rock And Roll').waitFor();
  });

  it('follows the folder: a database that comes or goes', async () => {
    const { workspace } = workbench();
    renameSync(join(workspace, 'music.db'), join(workspace, 'songs.db'));
    await row('songs.db').waitFor();
    await row('music.db').waitFor({ state: 'detached' });
  });
});

describe('the Databases view of a folder without databases, as a person sees it', () => {
  const workbench = useWorkbench();

  it('says so, and leads to the sample', async () => {
    const { page, workspace } = workbench();
    for (const name of ['chinook.sqlite', 'music.db']) rmSync(join(workspace, name));
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await page.getByText('No SQLite database lies in this folder').waitFor();
    await page.getByText('sample database').click();
    await webview(page).getByRole('grid').getByText('For Those About To Rock We Salute You').waitFor();
  });
});
