import type { AskRequest } from '../../../src/runtime/ask-request.ts';
import type { Script } from '../../../src/runtime/model/scripted-provider.ts';

export interface Scenario {
  /** Name of the golden file. */
  name: string;
  script: Script;
  request?: Partial<AskRequest>;
  /** The first event of this type cancels the question. */
  stopAt?: string;
}

function act(action: Record<string, unknown>): string {
  return `\`\`\`json\n${JSON.stringify(action)}\n\`\`\``;
}

const COUNT = 'SELECT count(*) FROM album';
const DOUBLED = 'SELECT a.name FROM artist a JOIN album b ON b.artist_id = a.id';
const MOST =
  'SELECT a.name, sum(s.copies) FROM artist a JOIN album b ON b.artist_id = a.id JOIN "sold copies" s ON s.album_id = b.id GROUP BY a.id ORDER BY 2 DESC LIMIT 1';

export const SCENARIOS: Scenario[] = [
  {
    name: 'turns-inspect-query-final',
    script: {
      protocol: 'turns',
      replies: [
        act({ action: 'inspect', table: 'sold copies' }),
        act({ action: 'query', sql: 'SELECT name, copie FROM artist' }),
        act({ action: 'query', sql: MOST }),
        act({
          action: 'final',
          sql: MOST,
          expected: {
            rows: 'one',
            columns: [
              { name: 'artist', kind: 'text' },
              { name: 'copies', kind: 'count' },
            ],
          },
        }),
      ],
    },
    request: { question: 'Which artist has sold the most copies, and how many?' },
  },
  {
    name: 'turns-shape-and-duplicates-fed-back',
    script: {
      protocol: 'turns',
      replies: [
        act({ action: 'final', sql: DOUBLED, expected: { rows: 'one per artist', columns: ['name: text'] } }),
        act({
          action: 'final',
          sql: DOUBLED.replace('SELECT', 'SELECT DISTINCT'),
          expected: { rows: 'one per artist', columns: ['name: text'] },
        }),
      ],
    },
    request: { question: 'Which artists have albums?' },
  },
  {
    name: 'turns-left-out-tables',
    script: {
      protocol: 'turns',
      replies: [
        'Let me think.',
        act({ action: 'add_table', tables: ['sold copies', 'sales'] }),
        act({ action: 'final', sql: 'SELECT max(copies) FROM "sold copies"' }),
      ],
    },
    request: { question: 'What is the highest number of copies?', link: 'oracle', gold: 'SELECT * FROM album' },
  },
  {
    name: 'turns-budget',
    script: {
      protocol: 'turns',
      replies: [
        act({ action: 'query', sql: COUNT }),
        act({ action: 'query', sql: 'SELECT year FROM album WHERE year > 2000' }),
      ],
    },
    request: { turns: 2 },
  },
  {
    name: 'turns-follow-up-with-vote',
    script: {
      protocol: 'turns',
      replies: [
        act({ action: 'final', sql: `${COUNT} WHERE year = 1971` }),
        act({ action: 'final', sql: `${COUNT} WHERE year > 1971` }),
        act({ action: 'final', sql: 'SELECT 1 + 0' }),
      ],
    },
    request: {
      question: 'And in 1971?',
      samples: 3,
      previous: { question: 'How many albums came out in 1970?', sql: `${COUNT} WHERE year = 1970` },
    },
  },
  {
    name: 'turns-provider-error',
    script: {
      protocol: 'turns',
      replies: [
        act({ action: 'query', sql: COUNT }),
        { text: '{"action": "fin', error: { code: 'provider_interrupted', message: 'The server is gone.' } },
      ],
    },
  },
  {
    name: 'one-shot',
    script: { protocol: 'one_shot', replies: [COUNT] },
    request: { evidence: 'an album is a record' },
  },
  {
    name: 'one-shot-retries',
    script: {
      protocol: 'one_shot',
      replies: ['SELECT count(*) FROM albums', 'I do not know.', 'SELECT id FROM album WHERE year = 1900', COUNT],
    },
  },
  {
    name: 'one-shot-vote',
    script: {
      protocol: 'one_shot',
      replies: [
        DOUBLED,
        `${DOUBLED} GROUP BY a.id`,
        'SELECT DISTINCT name FROM artist JOIN album ON artist_id = artist.id',
        'SELECT x',
      ],
    },
    request: { question: 'List the names of artists with albums.', samples: 4 },
  },
  { name: 'one-shot-no-sql', script: { protocol: 'one_shot', replies: ['No.', 'No.', 'No.', ''] } },
  {
    name: 'cancelled-while-writing',
    script: { protocol: 'one_shot', replies: [{ text: COUNT, tokenDelayMs: 60_000 }] },
    stopAt: 'token',
  },
  {
    name: 'cancelled-between-turns',
    script: {
      protocol: 'turns',
      replies: [act({ action: 'query', sql: COUNT }), act({ action: 'final', sql: COUNT })],
    },
    stopAt: 'turn',
  },
];
