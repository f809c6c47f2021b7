import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'sqlite3-parser';
import { parseQuery } from '../../../src/core/sql/ast/parse-query.ts';
import type {
  Arm,
  Block,
  Condition,
  Expression,
  From,
  FromItem,
  Query,
  Range,
} from '../../../src/core/sql/ast/query.ts';
import { textOf } from '../../../src/core/sql/ast/source.ts';
import { needShared } from '../../support/shared.ts';

/** A tree without its places. */
function bare(node: unknown): string {
  return JSON.stringify(node, (key, value) => (key === 'span' ? undefined : value));
}

const squeezed = (text: string) => text.replace(/\s+/g, '').toLowerCase();

/** Puts a query together from the texts of its parts and compares it with its own text. */
class Checker {
  readonly #sql: string;
  expressions = 0;

  constructor(sql: string) {
    this.#sql = sql;
  }

  query(query: Query): void {
    for (const item of query.with?.items ?? []) this.query(item.query);
    for (const { core } of query.arms) if (core.kind === 'select') this.#block(core);
    for (const { expression } of query.orderBy?.items ?? []) this.#expression(expression);
    const arms = query.arms.flatMap((arm: Arm) => [arm.operator?.range, arm.range]);
    this.#same([query.with?.range, ...arms, query.orderBy?.range, query.limit?.range], query.range);
    this.#starts(query.orderBy?.range, /^order\s+by\b/i);
    this.#starts(query.limit?.range, /^limit\b/i);
    assert.equal(parse(this.#text(query.range)).status, 'ok');
  }

  #block(block: Block): void {
    const { from, where, groupBy, having, windows, distinct } = block;
    for (const item of block.items) if (item.kind === 'expression') this.#expression(item.expression);
    if (from !== null) this.#from(from);
    this.#condition(where, /^where\b/i);
    this.#condition(having, /^having\b/i);
    for (const item of groupBy?.items ?? []) this.#expression(item);
    this.#starts(groupBy?.range, /^group\s+by\b/i);
    const items = block.items.map(({ range }) => this.#text(range)).join(',');
    const clauses = [from, where, groupBy, having, windows].map((clause) => this.#text(clause?.range));
    const whole = ['SELECT', this.#text(distinct?.range), items, ...clauses].join('');
    assert.equal(squeezed(whole), squeezed(this.#text(block.range)));
  }

  #from(from: From): void {
    this.#item(from.first);
    for (const { item, on } of from.joins) {
      this.#item(item);
      this.#condition(on, /^on\b/i);
    }
    const parts = [from.first, ...from.joins].map(({ range }) => this.#text(range)).join('');
    assert.equal(squeezed(parts), squeezed(this.#text(from.range).replace(/^from\b/i, '')));
  }

  #item(item: FromItem): void {
    const text = this.#text(item.range);
    assert.equal(parse(`SELECT 1 FROM ${text}`).status, 'ok', text);
    if (item.alias !== null) assert.ok(text.endsWith(this.#text(item.alias.range)), text);
    if (item.kind === 'subquery') this.query(item.query);
    if (item.kind === 'join') this.#from(item.from);
  }

  #condition(condition: Condition | null, keyword: RegExp): void {
    if (condition === null) return;
    this.#starts(condition.range, keyword);
    this.#expression(condition.expression);
    for (const conjunct of condition.conjuncts) this.#expression(conjunct);
  }

  /** Its own text means the same when it stands alone. */
  #expression({ range, node, subqueries }: Expression): void {
    this.expressions += 1;
    const result = parse(`SELECT ${this.#text(range)}`);
    assert.equal(result.status, 'ok');
    const statement = result.status === 'ok' ? result.root.cmds[0] : undefined;
    const core = statement?.type === 'SelectStmt' ? statement.body.select : undefined;
    const column = core?.type === 'SelectFrom' ? core.columns[0] : undefined;
    assert.equal(column?.type === 'ExprResultColumn' ? bare(column.expr) : null, bare(node));
    for (const { query } of subqueries) this.query(query);
  }

  #same(parts: (Range | undefined)[], whole: Range): void {
    assert.equal(squeezed(parts.map((part) => this.#text(part)).join('')), squeezed(this.#text(whole)));
  }

  #starts(range: Range | undefined, keyword: RegExp): void {
    if (range !== undefined) assert.match(this.#text(range), keyword);
  }

  #text(range: Range | undefined): string {
    return range === undefined ? '' : textOf(this.#sql, range);
  }
}

describe('source ranges of real queries', () => {
  const check = (statements: string[]) => {
    let expressions = 0;
    let queries = 0;
    for (const sql of statements) {
      const { query } = parseQuery(sql);
      if (query === null) continue;
      const checker = new Checker(sql);
      checker.query(query);
      assert.equal(squeezed(textOf(sql, query.range)), squeezed(sql).replace(/;+$/, ''));
      queries += 1;
      expressions += checker.expressions;
    }
    return { queries, expressions };
  };

  it('put every third gold of Spider together again, each expression alone meaning the same', function () {
    const path = needShared(this, 'data/spider/train.json');
    const items: { query: string }[] = JSON.parse(readFileSync(path, 'utf8'));
    const { queries, expressions } = check(items.filter((_, index) => index % 3 === 0).map(({ query }) => query));
    assert.ok(queries > 2_800 && expressions > 12_000, `${queries} queries, ${expressions} expressions`);
  });

  it('put every fourth gold of BIRD together again', function () {
    const path = needShared(this, 'data/bird/train.json');
    const items: { SQL: string }[] = JSON.parse(readFileSync(path, 'utf8'));
    const { queries } = check(items.filter((_, index) => index % 4 === 0).map(({ SQL }) => SQL));
    assert.ok(queries > 2_300, `${queries} queries`);
  });
});
