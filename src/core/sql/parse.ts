import { type AstNode, type CmdList, parse, type QualifiedName, type Stmt, traverse } from 'sqlite3-parser';
import { foldName } from './tokens.ts';

/** The parsed statements of a SQL text; null where it is not SQLite's grammar. Spans are in UTF-16 units from 0. */
function parseSql(sql: string): CmdList | null {
  const result = parse(sql);
  return result.status === 'ok' ? result.root : null;
}

/** What a statement is for. */
export type Purpose = 'read' | 'pragma' | 'write' | 'transaction' | 'attach';

const PURPOSES: Partial<Record<Stmt['type'], Purpose>> = {
  SelectStmt: 'read',
  PragmaStmt: 'pragma',
  BeginStmt: 'transaction',
  CommitStmt: 'transaction',
  RollbackStmt: 'transaction',
  SavepointStmt: 'transaction',
  ReleaseStmt: 'transaction',
  AttachStmt: 'attach',
  DetachStmt: 'attach',
};

/** What the first statement of a SQL text is for, EXPLAIN looked through; null where the text does not parse. */
export function purposeOf(sql: string): Purpose | null {
  let statement: Stmt | undefined = parseSql(sql)?.cmds[0];
  if (statement?.type === 'ExplainStmt') statement = statement.stmt;
  return statement === undefined ? null : (PURPOSES[statement.type] ?? 'write');
}

/**
 * The tables and views that a query names in FROM and `IN table`, in order, each once, spelled as first written (without
 * quotes). Names of common table expressions in scope and table-valued functions are left out. Empty where the text does
 * not parse, or is nested deeper than SQLite would take it.
 */
export function tablesOf(sql: string): string[] {
  const root = parseSql(sql);
  try {
    return root === null ? [] : namesIn(root);
  } catch (error) {
    // The stack overflows at some thousand levels; SQLite stops at a thousand.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function namesIn(root: CmdList): string[] {
  const found = new Map<string, string>();
  const scopes: Set<string>[] = [];
  const note = ({ dbName, objName }: QualifiedName) => {
    const key = foldName(objName.text);
    // A name with a schema never means a common table expression.
    const isExpression = dbName === undefined && scopes.some((scope) => scope.has(key));
    if (!isExpression && !found.has(key)) found.set(key, objName.text);
  };
  traverse(root, {
    enter(node) {
      const scope = scopeOf(node);
      if (scope !== null) scopes.push(scope);
      if (node.type === 'TableSelectTable') note(node.tblName);
      if (node.type === 'InTableExpr' && node.args === undefined) note(node.rhs);
    },
    leave(node) {
      if (scopeOf(node) !== null) scopes.pop();
    },
  });
  return [...found.values()];
}

/** The names that a SELECT's WITH clause makes known inside it; null where it has none. */
function scopeOf(node: AstNode): Set<string> | null {
  if (node.type !== 'Select' || node.with === undefined) return null;
  return new Set(node.with.ctes.map((expression) => foldName(expression.tblName.text)));
}
