import type { Message } from './template.ts';

const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool'];

/** What is wrong with a line: the field, and what to do about it. */
export interface LineProblem {
  field: string;
  problem: string;
}

/** What a line says, and the item that it is of; null where it names none. */
export interface DataLine {
  messages: Message[];
  item: string | null;
  /** It is of a query that fails, its error, and the right query. */
  isRepair: boolean;
}

/**
 * A line of training data: `{"messages": [{"role", "content", "train"?}]}` or the pair `{"system"?, "user", "sql"}`. `id`, a
 * text or a number, with `db_id` where it is there, names the item that the line is of: a question in other words, or its
 * repair (`"repair": true`), is of the same item. Other fields of the line are left alone.
 */
export function parseDataLine(text: string): DataLine | { problems: LineProblem[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.trim() === '[')
      return one('', 'begins a JSON list; write each example as one line of its own, without a list around them');
    return one('', `is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (Array.isArray(value)) return one('', 'is a JSON list; write each of its examples as one line of its own');
  if (!isObject(value)) return one('', 'is no JSON object');
  if (!('messages' in value || 'user' in value || 'sql' in value))
    return one('', 'has neither "messages" nor "user" and "sql"');
  const parsed = 'messages' in value ? parseMessages(value['messages']) : parsePair(value);
  return 'problems' in parsed ? parsed : { ...parsed, item: itemOf(value), isRepair: value['repair'] === true };
}

/** What names the item of a line; null: nothing does. */
function itemOf({ id, db_id: database }: Record<string, unknown>): string | null {
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify([database ?? null, id]) : null;
}

function parsePair(pair: Record<string, unknown>): { messages: Message[] } | { problems: LineProblem[] } {
  const { system, user, sql } = pair;
  const problems = [...textProblems('user', user), ...textProblems('sql', sql)];
  const hasSystem = system !== undefined && system !== null && system !== '';
  if (hasSystem) problems.push(...textProblems('system', system));
  if (problems.length > 0) return { problems };
  const messages: Message[] = [
    { role: 'user', content: String(user) },
    { role: 'assistant', content: String(sql) },
  ];
  return { messages: hasSystem ? [{ role: 'system', content: String(system) }, ...messages] : messages };
}

function parseMessages(list: unknown): { messages: Message[] } | { problems: LineProblem[] } {
  if (!Array.isArray(list)) return one('messages', 'is no list');
  const problems: LineProblem[] = [];
  const messages: Message[] = [];
  list.forEach((item: unknown, index) => {
    const field = `messages[${index}]`;
    const found = messageProblems(item, field);
    problems.push(...found);
    if (found.length > 0) return;
    const { role, content, train } = item as Message;
    messages.push({ role, content, train });
  });
  if (problems.length > 0) return { problems };
  if (!messages.some(({ role }) => role === 'assistant')) return one('messages', "has no assistant's turn to learn");
  if (!messages.some(({ role, train }) => role === 'assistant' && train !== false))
    return one('messages', 'has "train": false at every turn of the assistant, so that nothing is left to learn');
  if (messages[0]?.role === 'assistant') return one('messages[0].role', 'is "assistant", which has nothing to answer');
  return { messages };
}

function messageProblems(item: unknown, field: string): LineProblem[] {
  if (!isObject(item)) return [{ field, problem: 'is no JSON object' }];
  const { role, content, train } = item;
  const problems: LineProblem[] = [];
  if (typeof role !== 'string' || !ROLES.includes(role))
    problems.push({ field: `${field}.role`, problem: `is ${JSON.stringify(role)}, not one of ${ROLES.join(', ')}` });
  problems.push(...textProblems(`${field}.content`, content));
  if (train !== undefined && typeof train !== 'boolean')
    problems.push({ field: `${field}.train`, problem: `is ${JSON.stringify(train)}, not true or false` });
  if (train === true && role !== 'assistant')
    problems.push({ field: `${field}.train`, problem: "is true, but only an assistant's turn can be learned" });
  for (const name of ['tool_calls', 'reasoning_content'])
    if (item[name] !== undefined && item[name] !== null)
      problems.push({
        field: `${field}.${name}`,
        problem: 'would be lost; write it into "content" as the model is to say it',
      });
  return problems;
}

function textProblems(field: string, value: unknown): LineProblem[] {
  if (value === undefined) return [{ field, problem: 'is missing' }];
  if (typeof value !== 'string') return [{ field, problem: 'is no text' }];
  if (/\p{Surrogate}/u.test(value)) return [{ field, problem: 'holds half a surrogate pair, which is no character' }];
  return value.trim() === '' ? [{ field, problem: 'is empty' }] : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function one(field: string, problem: string): { problems: LineProblem[] } {
  return { problems: [{ field, problem }] };
}
