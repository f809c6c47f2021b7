import * as vscode from 'vscode';
import type { RunEntry } from './entry.ts';
import { runLabel, shareInShort, timeInShort } from './look.ts';

/** A run as a line of a list. */
function pickItem(run: RunEntry): vscode.QuickPickItem & { run: RunEntry } {
  const { dataset, split } = run.config;
  const of = run.done < run.total ? ` · ${run.done} of ${run.total} items` : '';
  return {
    label: runLabel(run),
    description: shareInShort(run.share),
    detail: `${dataset.name}${split === null ? '' : `, split ${split.name}`} · ${timeInShort(run.started)}${of} · ${run.id}`,
    run,
  };
}

/** Lets the user pick a run, newest first. @returns undefined where the user left */
export async function pickRun(
  runs: readonly RunEntry[],
  title: string,
  placeHolder: string,
): Promise<RunEntry | undefined> {
  const newest = runs.toSorted((a, b) => b.started.localeCompare(a.started));
  const picked = await vscode.window.showQuickPick(newest.map(pickItem), {
    title,
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.run;
}
