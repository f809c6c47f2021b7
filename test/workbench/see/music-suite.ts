import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlAgent } from '../../support/cli.ts';

/** A question over `chinook.sqlite`, its gold query, and what two models answer: `alpha` is before, `beta` after. */
interface Question {
  id: string;
  question: string;
  evidence?: string;
  sql: string;
  difficulty: string;
  alpha: string;
  beta: string;
}

const QUESTIONS: Question[] = [
  {
    id: 'artists',
    question: 'How many artists are there?',
    sql: 'SELECT count(*) FROM Artist',
    difficulty: 'simple',
    alpha: 'SELECT count(*) FROM Artist',
    beta: 'SELECT count(*) FROM Album',
  },
  {
    id: 'genres',
    question: 'List the names of all genres.',
    sql: 'SELECT Name FROM Genre',
    difficulty: 'simple',
    alpha: 'SELECT Name FROM Genre WHERE GenreId > 3',
    beta: 'SELECT Name FROM Genre',
  },
  {
    id: 'brazil',
    question: 'Which customers live in Brazil? Show first and last names.',
    evidence: 'Country names are in English, so Brazil is Brazil and not Brasil.',
    sql: "SELECT FirstName, LastName FROM Customer WHERE Country = 'Brazil'",
    difficulty: 'moderate',
    alpha: "SELECT FirstName, LastName FROM Customer WHERE Country LIKE 'B%' AND City <> 'Brasília'",
    beta: "SELECT FirstName, LastName FROM Customer WHERE Country = 'Brazil'",
  },
  {
    id: 'artists-with-albums',
    question: 'Which artists have an album whose title begins with B?',
    sql: "SELECT DISTINCT ar.Name FROM Artist ar JOIN Album al ON al.ArtistId = ar.ArtistId WHERE al.Title LIKE 'B%'",
    difficulty: 'moderate',
    alpha: "SELECT ar.Name FROM Artist ar JOIN Album al ON al.ArtistId = ar.ArtistId WHERE al.Title LIKE 'B%'",
    beta: "SELECT ar.Name FROM Artist ar JOIN Album al ON al.ArtistId = ar.ArtistId WHERE al.Title LIKE 'B%'",
  },
  {
    id: 'longest',
    question: 'What are the 5 longest tracks, the longest first?',
    sql: 'SELECT Name FROM Track ORDER BY Milliseconds DESC LIMIT 5',
    difficulty: 'moderate',
    alpha: 'SELECT Name FROM (SELECT Name, Milliseconds AS ms FROM Track ORDER BY ms DESC LIMIT 5) ORDER BY ms',
    beta: 'SELECT Name FROM Track ORDER BY Milliseconds DESC LIMIT 5',
  },
  {
    id: 'tracks',
    question: 'List the name and length of every track.',
    sql: 'SELECT Name, Milliseconds FROM Track',
    difficulty: 'challenging',
    alpha: 'SELECT Name, Milliseconds FROM Track WHERE Milliseconds < 5000000',
    beta: 'SELECT Name, Milliseconds, Bytes FROM Track',
  },
  {
    id: 'misspelt',
    question: 'What are the names of the media types?',
    sql: 'SELECT Name FROM MediaType',
    difficulty: 'simple',
    alpha: 'SELECT Nam FROM MediaType',
    beta: 'SELECT Nam FROM MediaType',
  },
  {
    id: 'mute',
    question: 'Who is the best employee?',
    sql: 'SELECT FirstName FROM Employee WHERE EmployeeId = 1',
    difficulty: 'challenging',
    alpha: 'I cannot know that.',
    beta: 'I cannot know that.',
  },
];

/** Name of the suite's file in the workspace. */
export const SUITE = 'music.sql-tests.jsonl';

/** The script by which a model answers the suite. @param delayMs pause before each answer */
export function scriptOf(model: 'alpha' | 'beta', delayMs = 0): Record<string, unknown> {
  const replies = QUESTIONS.map((entry) => [entry.question, { text: entry[model], delayMs, completionTokens: 20 }]);
  return { protocol: 'one_shot', name: model, byQuestion: Object.fromEntries(replies) };
}

/** Writes the suite into a folder with `chinook.sqlite`. */
export function writeSuite(folder: string): void {
  const lines = QUESTIONS.map(({ id, question, evidence, sql, difficulty }) =>
    JSON.stringify({ id, database: 'chinook.sqlite', question, ...(evidence && { evidence }), sql, difficulty }),
  );
  writeFileSync(join(folder, SUITE), `${lines.join('\n')}\n`);
}

/** Evaluates a model over the suite by the command line. @returns the id of its run */
export async function evaluate(workspace: string, model: 'alpha' | 'beta', words: string[] = []): Promise<string> {
  const script = join(workspace, '..', `${model}.json`);
  writeFileSync(script, JSON.stringify(scriptOf(model)));
  const call = ['eval', '--dataset', SUITE, '--provider', 'scripted', '--script', script, '--retries', '0', '--json'];
  const { code, stdout, stderr } = await sqlAgent([...call, ...words], {
    cwd: workspace,
    env: { SQL_AGENT_HOME: join(workspace, '..', 'home'), SQL_AGENT_RESULTS: '' },
  });
  if (code !== 0) throw new Error(`eval ended with ${code}: ${stderr}`);
  return JSON.parse(stdout).run_id;
}
