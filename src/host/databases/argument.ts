import * as vscode from 'vscode';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * The database that a menu, a link or a key means: a Uri (Explorer, editor title), a line of the Databases view, or a
 * path; null where the palette ran the command.
 */
export function databaseOf(argument: unknown): vscode.Uri | null {
  if (argument instanceof vscode.Uri) return argument;
  if (typeof argument === 'string') return vscode.Uri.file(argument);
  return isObject(argument) && argument['uri'] instanceof vscode.Uri ? argument['uri'] : null;
}

/** The table that a line of the Databases view stands for or lies in, or that is given by name; null where there is none. */
export function tableOf(argument: unknown, name: unknown): string | null {
  if (typeof name === 'string') return name;
  if (!isObject(argument) || !isObject(argument['table'])) return null;
  const table = argument['table']['name'];
  return typeof table === 'string' ? table : null;
}
