import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlAgent } from '../../support/cli.ts';

/** A question over `chinook.sqlite`, its gold query, and a typical mistake of a model. */
interface Mistake {
  id: string;
  question: string;
  sql: string;
  answer: string;
}

const MISTAKES: Mistake[] = [
  {
    id: 'distinct',
    question: 'Which artists have an album whose title begins with B?',
    sql: "SELECT DISTINCT ar.Name FROM Artist ar JOIN Album al ON al.ArtistId = ar.ArtistId WHERE al.Title LIKE 'B%'",
    answer: "SELECT ar.Name FROM Artist ar JOIN Album al ON al.ArtistId = ar.ArtistId WHERE al.Title LIKE 'B%'",
  },
  {
    id: 'case',
    question: 'Which customers live in Brazil? Show first and last names.',
    sql: "SELECT FirstName, LastName FROM Customer WHERE Country = 'Brazil'",
    answer: "SELECT FirstName, LastName FROM Customer WHERE Country = 'brazil'",
  },
  {
    id: 'fan-out',
    question: 'How much did each customer spend? Show first name, last name and total.',
    sql: 'SELECT c.FirstName, c.LastName, sum(i.Total) FROM Customer c JOIN Invoice i ON i.CustomerId = c.CustomerId GROUP BY c.CustomerId',
    answer:
      'SELECT c.FirstName, c.LastName, sum(i.Total)\nFROM Customer c\nJOIN Invoice i ON i.CustomerId = c.CustomerId\nJOIN InvoiceLine l ON l.InvoiceId = i.InvoiceId\nGROUP BY c.CustomerId',
  },
  {
    id: 'limit',
    question: 'What are the 5 longest tracks?',
    sql: 'SELECT Name, Milliseconds FROM Track ORDER BY Milliseconds DESC LIMIT 5',
    answer: 'SELECT Name, Milliseconds FROM Track ORDER BY Milliseconds DESC LIMIT 4',
  },
  {
    id: 'swapped',
    question: 'Show first and last name of the employees with their city.',
    sql: 'SELECT FirstName, LastName, City FROM Employee',
    answer: 'SELECT City, FirstName, LastName FROM Employee',
  },
  {
    id: 'null',
    question: 'Which customers have no company? Show first name and country.',
    sql: 'SELECT FirstName, Country FROM Customer WHERE Company IS NULL AND CustomerId > 10',
    answer: "SELECT FirstName, Country FROM Customer WHERE Company = '' AND CustomerId > 10",
  },
  {
    id: 'inside',
    question: 'How many albums have more than twenty tracks?',
    sql: 'WITH long AS (SELECT AlbumId FROM Track GROUP BY AlbumId HAVING count(*) > 20) SELECT count(*) FROM long',
    answer: 'WITH long AS (SELECT AlbumId FROM Track GROUP BY AlbumId HAVING count(*) > 21)\nSELECT count(*) FROM long',
  },
  {
    id: 'misspelt',
    question: 'What are the names of the media types?',
    sql: 'SELECT Name FROM MediaType',
    answer: 'SELECT Nam FROM MediaType',
  },
  {
    id: 'right',
    question: 'How many genres are there?',
    sql: 'SELECT count(*) FROM Genre',
    answer: 'SELECT count(*) FROM Genre',
  },
];

/** Name of the suite's file in the workspace. */
const SUITE = 'mistakes.sql-tests.jsonl';

/** Writes the suite into a folder with `chinook.sqlite` and evaluates the mistakes by the command line. @returns the run's id */
export async function evaluateMistakes(workspace: string): Promise<string> {
  const items = MISTAKES.map(({ id, question, sql }) =>
    JSON.stringify({ id, database: 'chinook.sqlite', question, sql }),
  );
  writeFileSync(join(workspace, SUITE), `${items.join('\n')}\n`);
  const script = join(workspace, '..', 'mistakes.json');
  const byQuestion = Object.fromEntries(MISTAKES.map(({ question, answer }) => [question, { text: answer }]));
  writeFileSync(script, JSON.stringify({ protocol: 'one_shot', name: 'novice', byQuestion }));
  const call = ['eval', '--dataset', SUITE, '--provider', 'scripted', '--script', script, '--retries', '0', '--json'];
  const { code, stdout, stderr } = await sqlAgent(call, {
    cwd: workspace,
    env: { SQL_AGENT_HOME: join(workspace, '..', 'home'), SQL_AGENT_RESULTS: '' },
  });
  if (code !== 0) throw new Error(`eval ended with ${code}: ${stderr}`);
  return JSON.parse(stdout).run_id;
}
