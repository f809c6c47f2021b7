import { parseStmt, type Stmt, tokenize } from 'sqlite3-parser';
import type { Catalog, Table } from '../../protocol/catalog.ts';
import { foreignKeyProblems, resolveForeignKeys } from './foreign-keys.ts';
import { addIndex } from './from-ddl-keys.ts';
import { readTable, readVirtualTable } from './from-ddl-table.ts';
import { readView } from './from-ddl-view.ts';

/** A statement of a DDL text: its tree, or why it has none. */
interface Statement {
  /** Source text from its first token to the `;`, which is left out. */
  text: string;
  line: number;
  tree: Stmt | null;
  error: string | null;
}

/**
 * The catalog that a DDL text describes: CREATE TABLE, VIEW, VIRTUAL TABLE and INDEX. Statements that create nothing to
 * ask about (INSERT, PRAGMA, triggers …) are passed over. What does not parse, is reserved for SQLite (`sqlite_…`) or
 * cannot be applied is left out and named in `problems`, as are broken foreign keys; the rest still counts. A comment
 * behind a column on its line is the column's meaning.
 */
export function catalogFromDdl(ddl: string): Catalog {
  const tables = new Map<string, Table>();
  const problems: string[] = [];
  for (const statement of statementsOf(ddl)) {
    const problem = applyStatement(statement, tables);
    if (problem !== null) problems.push(`Line ${statement.line}: ${problem}`);
  }
  markShadowTables(tables);
  const resolved = resolveForeignKeys([...tables.values()]);
  return { tables: resolved, problems: [...problems, ...foreignKeyProblems(resolved)] };
}

/** Adds what one statement creates to `tables`. @returns what stands against it, null where nothing does. */
function applyStatement({ text, tree, error }: Statement, tables: Map<string, Table>): string | null {
  if (tree === null) return `not a statement of SQLite, left out: ${clipped(error ?? '')}.`;
  if (tree.type === 'CreateIndexStmt') return addIndex(tree, tables);
  if (tree.type === 'AlterTableStmt') return `ALTER TABLE "${tree.tblName.objName.text}" is not applied.`;
  const table = createdTable(tree, text, tables);
  if (table === null) return null;
  if (/^sqlite_/i.test(table.name)) return `"${table.name}" is a name reserved for SQLite; left out.`;
  const key = table.name.toLowerCase();
  if (tables.has(key))
    return 'ifNotExists' in tree && tree.ifNotExists ? null : `"${table.name}" exists already; the first one counts.`;
  tables.set(key, table);
  return table.problem === null ? null : `"${table.name}": ${table.problem}`;
}

function createdTable(tree: Stmt, text: string, tables: ReadonlyMap<string, Table>): Table | null {
  if (tree.type === 'CreateTableStmt') return readTable(tree, text, tables);
  if (tree.type === 'CreateViewStmt') return readView(tree, text, tables);
  if (tree.type === 'CreateVirtualTableStmt') return readVirtualTable(tree, text);
  return null;
}

/** Walks a script statement by statement; a statement with an error ends at the next `;` token. */
function* statementsOf(ddl: string): Generator<Statement> {
  let rest = ddl;
  let line = 1;
  for (;;) {
    const first = tokenize(rest).next();
    if (first.done === true) return;
    if (first.value.text !== ';') {
      line += first.value.span.line - 1;
      rest = rest.slice(first.value.span.offset);
      const result = parseStmt(rest, { allowTrailing: true });
      const end = result.status === 'ok' ? result.tail : endOfStatement(rest);
      const text = rest.slice(0, end).replace(/[\s;]+$/, '');
      const tree = result.status === 'ok' ? result.root : null;
      yield { text, line, tree, error: result.status === 'ok' ? null : (result.errors[0]?.message ?? 'syntax error') };
      line += countLines(rest.slice(0, end));
      rest = rest.slice(end);
    } else {
      line += first.value.span.line - 1;
      rest = rest.slice(first.value.span.offset + 1);
    }
  }
}

function endOfStatement(text: string): number {
  for (const token of tokenize(text)) if (token.text === ';') return token.span.offset + 1;
  return text.length;
}

/** An open quote makes the rest of the file one token, which the parser repeats. */
function clipped(error: string): string {
  return error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

const LONGEST_ERROR = 120;

/** Suffixes of the tables that FTS3/4/5 and R-tree keep for themselves, as a `.schema` dump shows them. */
const SHADOW_SUFFIXES = /_(?:data|idx|content|docsize|config|segments|segdir|stat|node|rowid|parent)$/i;

function markShadowTables(tables: ReadonlyMap<string, Table>): void {
  for (const table of tables.values()) {
    const owner = tables.get(table.name.replace(SHADOW_SUFFIXES, '').toLowerCase());
    if (table.type === 'table' && owner?.type === 'virtual') table.type = 'shadow';
  }
}
