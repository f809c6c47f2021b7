import * as vscode from 'vscode';
import { diffText } from '../../core/evals/diff-text.ts';
import { failureInWords, itemInWords } from '../../core/evals/item-words.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { BinaryMetric } from '../../protocol/score.ts';

/** Begins the context of a message of ours; the run's id follows. The manifest's menu knows it. */
const CONTEXT = 'sqlAgent.item:';

/** The run that a message of ours is of; null for other messages. */
export function runOfMessage(contextValue: string | undefined): string | null {
  return contextValue?.startsWith(CONTEXT) ? contextValue.slice(CONTEXT.length) : null;
}

/** What a state of a test is told with. */
export interface Telling {
  run: vscode.TestRun;
  runId: string;
  /** What `right` means in the run. */
  metric: BinaryMetric;
  /** Of thousands of items only states and messages are told: what else there is, stands in the item's panel. */
  brief: boolean;
}

function placeOf({ uri, range }: vscode.TestItem): vscode.Location | undefined {
  return uri && range ? new vscode.Location(uri, range) : undefined;
}

/** The message on an item, without a place: VS Code takes the item's own. */
function messageOf(record: ItemRecord, { runId, metric }: Telling): vscode.TestMessage {
  const text = failureInWords(record, metric);
  const sides = record.diff ? diffText(record.diff) : null;
  const message =
    sides === null ? new vscode.TestMessage(text) : vscode.TestMessage.diff(text, sides.expected, sides.actual);
  message.contextValue = `${CONTEXT}${runId}`;
  return message;
}

/** Text as the test output wants it. */
export function outputText(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}

/** Tells VS Code what came of a question: right, wrong rows with the rows that differ, an error, or left out. */
export function tellRecord(telling: Telling, line: vscode.TestItem, record: ItemRecord): void {
  const { run, metric, brief } = telling;
  const { outcome } = record;
  // With each duration VS Code adds up those of the database anew, and draws its line and the suite's again.
  const ms = brief ? undefined : record.ms;
  if (outcome === 'right') {
    run.passed(line, ms);
    return;
  }
  if (!brief) run.appendOutput(outputText(itemInWords(record, metric)), placeOf(line), line);
  if (outcome === 'gold_failed') run.skipped(line);
  else if (outcome === 'wrong_rows') run.failed(line, messageOf(record, telling), ms);
  else run.errored(line, messageOf(record, telling), ms);
}
