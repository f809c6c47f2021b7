import type { Previous } from '../../protocol/ask.ts';
import type { ChatMessage } from '../ports.ts';
import type { QueryInput } from './effects.ts';
import { queryObservation } from './observations.ts';
import type { AgentSetup } from './setup.ts';

/** Names of left-out tables stand in the prompt up to this many characters. */
const LEFT_OUT_CHARACTERS = 6000;

const ADD_TABLE = `
{"action": "add_table", "tables": ["…"]}
  gives the definitions of tables that were left out of the schema below.`;

function systemPrompt(turns: number, hasLeftOut: boolean): string {
  const budget =
    turns === 1
      ? 'You have one turn: it must be "final".'
      : `You have ${turns} turns, one action each; the last one must be "final". Answer as soon as you are sure.`;
  return `You answer a question about a SQLite database by writing SQL. The dialect is SQLite 3: strftime() and date() for dates, || to join text, LIMIT and not TOP; / between integers is integer division. The database is read-only: each query is one statement, SELECT or WITH … SELECT.

Reply with exactly one action, as one JSON object in a \`\`\`json block, and nothing behind it:

{"action": "inspect", "table": "…"}
  gives the definition of a table and its first rows.${hasLeftOut ? ADD_TABLE : ''}
{"action": "query", "sql": "SELECT …"}
  runs a query and gives its first rows.
{"action": "final", "sql": "SELECT …", "expected": {"rows": "one", "columns": [{"name": "…", "kind": "text"}]}}
  is your answer. "expected" is the shape that a correct answer to the question has, taken from the question and not from what the query returned. "rows" is one of "one", "exactly N", "at most N", "one per X", "any". "kind" is one of count, number, text, date, boolean, any.

${budget}
Select the columns that the question asks for, in its order, and no others. Names with spaces or other marks stand in double quotes, text in single quotes.`;
}

/** The line that names the tables left out, the nearest to the question first. */
function leftOutLine({ linked }: AgentSetup): string {
  if (linked.left.length === 0) return '';
  const names = linked.left.toSorted((a, b) => (linked.scores[b] ?? 0) - (linked.scores[a] ?? 0));
  let shown = 0;
  for (let characters = 0; shown < names.length && characters < LEFT_OUT_CHARACTERS; shown += 1)
    characters += (names[shown]?.length ?? 0) + 2;
  const more = shown < names.length ? `, and ${names.length - shown} more` : '';
  return `Tables left out: ${names.slice(0, shown).join(', ')}${more}\n`;
}

/** An action as the system prompt asks for it. */
function finalReply(sql: string): string {
  return `\`\`\`json\n${JSON.stringify({ action: 'final', sql })}\n\`\`\``;
}

/**
 * The messages that open the protocol `turns`: system; schema, left-out tables and question. A follow-up stands behind
 * its predecessor as in a conversation, so that what precedes the question stays the same for every question.
 */
export function turnsMessages(setup: AgentSetup): ChatMessage[] {
  const { user, stablePrefix } = setup.prompt;
  const schema = user.slice(0, stablePrefix) + leftOutLine(setup);
  const question = user.slice(stablePrefix);
  const system: ChatMessage = { role: 'system', content: systemPrompt(setup.turns, setup.linked.left.length > 0) };
  if (setup.previous === null) return [system, { role: 'user', content: schema + question }];
  return [
    system,
    { role: 'user', content: `${schema}Question: ${setup.previous.question}` },
    { role: 'assistant', content: finalReply(setup.previous.sql) },
    { role: 'user', content: `The next question follows on from that one.\n${question}` },
  ];
}

/** The messages of the protocol `one_shot`: the prompt `lines-1` and nothing else. */
export function oneShotMessages({ prompt }: AgentSetup): ChatMessage[] {
  return [
    { role: 'system', content: prompt.system },
    { role: 'user', content: prompt.user },
  ];
}

const CORRECT = 'Correct the query.';

/**
 * The messages that send a query back which did not run: the prompt as it was, the query as the model's answer, and what
 * came of it. Training pairs with repairs are made of the same messages.
 */
export function repairMessages(
  { prompt }: Pick<AgentSetup, 'prompt'>,
  sql: string,
  { result, hints }: Pick<QueryInput, 'result' | 'hints'>,
): ChatMessage[] {
  return [
    { role: 'system', content: prompt.system },
    { role: 'user', content: prompt.user },
    { role: 'assistant', content: sql },
    { role: 'user', content: `${queryObservation(result, hints)}\n${CORRECT}` },
  ];
}

/**
 * The evidence of a follow-up for models that know one prompt only: `Previous query: SELECT …` behind the evidence that
 * was given. The evidence line is where such models were taught to find what a question leaves out, and the query says
 * all that its question did. Of 16 follow-ups ("And from Germany?") `small` answers 12 right with it, 10 where the
 * previous question stands there too, and 3 without anything; `coder` 14 and 15.
 */
export function foldPrevious(evidence: string, previous: Previous | null): string {
  if (previous === null) return evidence;
  return `${evidence.trim()} Previous query: ${previous.sql.trim()}`.trim();
}

/** What stands under every observation: how many turns are left, and on the last one what must be done. */
export function budgetLine(left: number): string {
  if (left > 1) return `Turns left: ${left}.`;
  return 'This is your last turn: reply with the action "final".';
}
