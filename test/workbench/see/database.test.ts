import assert from 'node:assert/strict';
import { copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FrameLocator } from 'playwright-core';
import { notification, openFile, runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';
import { clipboard, databaseView, nameless } from './views.ts';

const ODD = `
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, big INTEGER, photo BLOB);
INSERT INTO customer VALUES (1, 'Ada', '', 9007199254740993, x'89504e47'), (2, 'Grace', NULL, -9223372036854775808, NULL),
  (3, CAST(x'41ff42' AS TEXT), printf('%.*c', 9000, 'x'), 7, zeroblob(40000));
CREATE TABLE line (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), item TEXT REFERENCES nowhere(x));
CREATE VIEW broken AS SELECT nobody FROM not_there;
CREATE VIRTUAL TABLE notes USING fts5(body);
CREATE TABLE log (id INTEGER PRIMARY KEY, message TEXT);
INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) SELECT i, 'message ' || i FROM n;
`;

describe('the database editor, as a person sees it', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;
  const cell = (row: number, column: number) => view.locator(`[data-row="${row}"][data-column="${column}"]`);
  const node = (name: string) => view.getByRole('treeitem', { name: new RegExp(`^${name},`) });
  const path = (name: string) => join(workbench().workspace, name);

  function make(name: string, sql: string): void {
    const database = new DatabaseSync(path(name));
    database.exec(sql);
    database.close();
  }

  describe('on the sample', () => {
    it('shows the tables and the first page of the first one', async () => {
      const { page } = workbench();
      await openFile(page, 'chinook.sqlite');
      view = await databaseView(page);
      await view.getByRole('heading', { name: 'Album' }).waitFor();
      assert.equal(await view.getByRole('treeitem', { level: 2 }).count(), 11);
      assert.equal(await cell(0, 1).textContent(), 'For Those About To Rock We Salute You');
      const headers = await view.getByRole('columnheader').allInnerTexts();
      assert.deepEqual(
        headers.map((text) =>
          text
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean)
            .join(' '),
        ),
        ['Row', 'AlbumId INTEGER', 'Title NVARCHAR(160)', 'ArtistId INTEGER'],
      );
    });

    it('shows columns with their types, keys and where foreign keys point', async () => {
      await node('InvoiceLine').locator('.twist').click();
      await view.getByRole('treeitem', { name: 'InvoiceLineId, column, INTEGER, primary key, not null' }).waitFor();
      await view.getByRole('treeitem', { name: /TrackId, column, INTEGER, foreign key to Track.TrackId/ }).waitFor();
    });

    it('finds tables and columns by name', async () => {
      await view.getByRole('searchbox', { name: 'Filter tables and columns' }).fill('reportsto');
      assert.deepEqual(
        await view
          .getByRole('treeitem')
          .allInnerTexts()
          .then((texts) => texts.length),
        3,
      );
      await view.getByRole('searchbox', { name: 'Filter tables and columns' }).fill('');
    });

    it('moves by keys, and copies cells and rows', async () => {
      const { page } = workbench();
      await cell(0, 0).click();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
      const active = await view.getByRole('grid').getAttribute('aria-activedescendant');
      assert.equal(active, 'cell-2-1');
      await page.keyboard.press('Control+C');
      await view.getByText('Copied the cell.').waitFor({ state: 'attached' });
      assert.equal(await clipboard(page, 'Restless and Wild'), 'Restless and Wild');
      await page.keyboard.press('Shift+Space');
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Control+Shift+C');
      await view.getByText('Copied 2 rows of 3 columns.').waitFor({ state: 'attached' });
      const copied = 'AlbumId\tTitle\tArtistId\n3\tRestless and Wild\t2\n4\tLet There Be Rock\t1';
      assert.equal(await clipboard(page, copied), copied);
    });

    it('names everything that can be acted on', async () => {
      assert.deepEqual(await nameless(view.locator('database-app')), []);
    });

    it('shows how a table is defined', async () => {
      await view.getByRole('tab', { name: 'Definition' }).click();
      await view.getByText('CREATE TABLE').first().waitFor();
      await view.getByText('IFK_AlbumArtistId').waitFor();
      await view.getByRole('tab', { name: 'Rows' }).click();
    });

    it('shows the table again that was shown before the editor was hidden', async () => {
      const { page } = workbench();
      await node('Genre').click();
      await view.getByRole('heading', { name: 'Genre' }).waitFor();
      await openFile(page, 'music.db');
      await page.getByRole('tab', { name: /chinook\.sqlite/ }).click();
      view = await databaseView(page);
      await view.getByRole('heading', { name: 'Genre' }).waitFor();
      assert.equal(await cell(0, 1).textContent(), 'Rock');
    });
  });

  describe('on odd contents', () => {
    before(async () => {
      const { page } = workbench();
      make('odd.sqlite', ODD);
      await openFile(page, 'odd.sqlite');
      view = await databaseView(page);
      await view.getByRole('heading', { name: 'customer' }).waitFor();
      await cell(0, 0).waitFor();
    });

    it('shows NULL apart from the empty text, and integers with every digit', async () => {
      assert.equal(await cell(0, 2).textContent(), "''");
      assert.equal(await cell(0, 2).getAttribute('aria-description'), 'empty text');
      assert.equal(await cell(1, 2).textContent(), 'NULL');
      assert.notEqual(await cell(0, 2).getAttribute('class'), await cell(1, 2).getAttribute('class'));
      assert.equal(await cell(0, 3).textContent(), '9007199254740993');
      assert.equal(await cell(1, 3).textContent(), '-9223372036854775808');
    });

    it('shows blobs with their size, and flags text that is not UTF-8', async () => {
      assert.equal(await cell(0, 4).textContent(), "x'89504e47' 4 B");
      assert.match((await cell(2, 4).textContent()) ?? '', /39 KB$/);
      assert.equal(await cell(2, 1).textContent(), 'A\ufffdBnot UTF-8');
    });

    it('opens a long cell whole, and closes it by Escape', async () => {
      const { page } = workbench();
      await cell(2, 2).dblclick();
      await view.getByText('row 3 · text, 9,000 characters').waitFor();
      await view.locator('cell-pane pre', { hasText: /^x{9000}$/ }).waitFor();
      await view.locator('cell-pane pre').focus();
      await page.keyboard.press('Escape');
      await view.locator('cell-pane').waitFor({ state: 'detached' });
    });

    it('shows why a view does not compile, and which foreign keys point nowhere', async () => {
      await node('broken').click();
      await view.getByRole('alert').getByText('no such table: main.not_there').waitFor();
      await node('line').locator('.twist').click();
      const item = view.getByRole('treeitem', { name: /^item, column/ });
      assert.match((await item.getAttribute('aria-label')) ?? '', /nowhere/);
    });

    it('says about how many rows there are, counts them when asked, and scrolls to the last', async () => {
      const { page } = workbench();
      await node('log').click();
      await view.getByText('about 25,000 rows').waitFor();
      await view.getByRole('button', { name: 'Count exactly' }).click();
      await view.getByText('25,000 rows', { exact: true }).waitFor();
      await cell(0, 0).click();
      await page.keyboard.press('Control+End');
      await cell(24_999, 1).waitFor();
      assert.equal(await cell(24_999, 1).textContent(), 'message 25000');
      assert.ok((await view.getByRole('row').count()) < 80, 'only what is seen is in the document');
    });

    it('says that the file changed on disk, and reads it again when told', async () => {
      const database = new DatabaseSync(path('odd.sqlite'));
      database.exec(`INSERT INTO log VALUES (25001, 'new'); CREATE TABLE later (x)`);
      database.close();
      await view.getByText('The file changed on disk since it was read.').waitFor();
      await view.getByRole('button', { name: 'Reload' }).first().click();
      await node('later').waitFor();
      await view.getByText('The file changed on disk since it was read.').waitFor({ state: 'detached' });
    });
  });

  describe('on files that are no databases', () => {
    it('says what is wrong and what to do, never a blank', async () => {
      const { page } = workbench();
      writeFileSync(path('empty.sqlite'), '');
      await openFile(page, 'empty.sqlite');
      view = await databaseView(page);
      await view.getByText(/is empty \(0 bytes\)/).waitFor();
      await view.getByRole('button', { name: 'Open With…' }).waitFor();
      make('cut.sqlite', ODD);
      truncateSync(path('cut.sqlite'), 5000);
      await openFile(page, 'cut.sqlite');
      view = await databaseView(page);
      await view.getByText(/is truncated/).waitFor();
    });

    it('shows the file once it is a database', async () => {
      const { page } = workbench();
      writeFileSync(path('later.sqlite'), 'not yet');
      await openFile(page, 'later.sqlite');
      view = await databaseView(page);
      await view.getByText(/is not a SQLite 3 database/).waitFor();
      make('made.tmp', 'CREATE TABLE made (x)');
      copyFileSync(path('made.tmp'), path('later.sqlite'));
      await view.getByRole('heading', { name: 'made' }).waitFor();
      await view.getByText('This table has no rows.').waitFor();
    });

    it('looks at the first bytes of a file of another name before it opens it', async () => {
      const { page } = workbench();
      await runCommand(page, 'SQL Agent: Open Database…');
      await page.locator('.quick-input-list .monaco-list-row', { hasText: 'music.db' }).first().click();
      await page.locator('.tab.active', { hasText: 'music.db' }).waitFor();
      view = await databaseView(page);
      await view.getByRole('heading', { name: 'Album' }).waitFor();
      assert.equal(await notification(page, /not a SQLite/).count(), 0);
    });
  });
});
