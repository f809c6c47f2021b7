import assert from 'node:assert/strict';
import type { JsonCell } from '../../../src/protocol/value.ts';
import { MOST_ROWS, PAGE_ROWS, Pages } from '../../../webview-ui/shared/pages.ts';

function pagesWith(asked: number[]): Pages {
  return new Pages((page) => asked.push(page));
}

function rowsOf(page: number, count = PAGE_ROWS): JsonCell[][] {
  return Array.from({ length: count }, (_, index) => [page * PAGE_ROWS + index]);
}

function add(pages: Pages, page: number, options: { count?: number; more?: boolean } = {}): void {
  pages.add({ offset: page * PAGE_ROWS, rows: rowsOf(page, options.count), more: options.more ?? true });
}

describe('the rows of a grid', () => {
  it('asks for a page when a row of it is looked at, once', () => {
    const asked: number[] = [];
    const pages = pagesWith(asked);
    assert.equal(pages.row(450), null);
    assert.equal(pages.row(451), null);
    assert.deepEqual(asked, [2]);
    add(pages, 2);
    assert.deepEqual(pages.row(450), [450]);
    assert.deepEqual(asked, [2]);
  });

  it('has one row more than it knows until it knows the end', () => {
    const pages = pagesWith([]);
    add(pages, 0);
    assert.equal(pages.length, PAGE_ROWS + 1);
    assert.equal(pages.isEndKnown, false);
    add(pages, 1, { count: 30, more: false });
    assert.equal(pages.length, PAGE_ROWS + 30);
    assert.equal(pages.isEndKnown, true);
  });

  it('knows that an empty table is empty', () => {
    const pages = pagesWith([]);
    add(pages, 0, { count: 0, more: false });
    assert.equal(pages.length, 0);
    assert.equal(pages.isEndKnown, true);
  });

  it('lets go what was not looked at for the longest time, and asks for it again', () => {
    const asked: number[] = [];
    const pages = pagesWith(asked);
    for (let page = 0; page < 50; page += 1) add(pages, page);
    pages.row(0);
    add(pages, 50);
    assert.equal(pages.peek(PAGE_ROWS), null);
    assert.deepEqual(pages.row(0), [0]);
    pages.row(PAGE_ROWS);
    assert.deepEqual(asked, [1]);
  });

  it('does not ask again and again for what failed', () => {
    const asked: number[] = [];
    const pages = pagesWith(asked);
    pages.row(0);
    pages.fail(0);
    pages.row(0);
    assert.deepEqual(asked, [0]);
    pages.retry();
    pages.row(0);
    assert.deepEqual(asked, [0, 0]);
  });

  it('scrolls through a million rows at most, however many were counted', () => {
    const pages = pagesWith([]);
    pages.setEnd(25_000_000);
    assert.equal(pages.length, MOST_ROWS);
  });
});
