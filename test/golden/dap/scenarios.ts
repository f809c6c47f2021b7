import type { DapClient } from '../../unit/dap/client.ts';

/** A session that is recorded. Files of the folder: `shop.sqlite`, `query.sql`, `gold.sql`. */
export interface Scenario {
  readonly name: string;
  readonly query: string;
  readonly gold?: string;
  play(client: DapClient, folder: string): Promise<unknown>;
}

const WITH = `WITH spent AS (
  SELECT customer_id, sum(amount) AS total
  FROM "order"
  GROUP BY customer_id
)
SELECT c.name, s.total
FROM customer c
JOIN spent s ON s.customer_id = c.id
WHERE s.total > 20
ORDER BY s.total DESC
LIMIT 1`;

/** Asks what an editor asks after a stop. */
async function look(client: DapClient): Promise<void> {
  await client.ask('threads');
  const [frame] = await client.frames(1, { startFrame: 0, levels: 1 });
  const { scopes } = await client.ask<{ scopes: { variablesReference: number; expensive: boolean }[] }>('scopes', {
    frameId: frame?.id,
  });
  for (const { variablesReference, expensive } of scopes)
    if (!expensive) await client.variables(variablesReference, { filter: 'indexed', start: 0, count: 100 });
  await client.frames(1, { startFrame: 1, levels: 19 });
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'stepping',
    query: WITH,
    async play(client, folder) {
      await client.launch({ program: `${folder}/query.sql`, database: `${folder}/shop.sqlite` });
      await look(client);
      for (const command of ['next', 'stepIn', 'next', 'stepOut', 'next', 'stepBack']) {
        await client.move(command);
        await look(client);
      }
      await client.move('continue');
      await client.ask('disconnect');
    },
  },
  {
    name: 'breakpoints',
    query: WITH,
    async play(client, folder) {
      const source = { path: `${folder}/query.sql` };
      const breakpoints = [
        { line: 4, logMessage: '{count(*)} customers with orders' },
        { line: 8, condition: 'count(*) > 100' },
        { line: 9, condition: 'count(*) < 100' },
      ];
      await client.launch({ program: source.path, database: `${folder}/shop.sqlite`, stopOnEntry: false }, () =>
        client.ask('setBreakpoints', { source, breakpoints }),
      );
      await client.ask('breakpointLocations', { source, line: 9 });
      await look(client);
      await client.evaluate('total > 50');
      await client.evaluate('SELECT name FROM rows ORDER BY total', 'repl');
      await client.move('continue');
    },
  },
  {
    name: 'beside-gold',
    query: "SELECT name FROM customer\nWHERE city = 'Bonn' AND id > 1",
    gold: "SELECT name FROM customer\nWHERE city = 'Bonn'",
    async play(client, folder) {
      const args = { program: `${folder}/query.sql`, gold: `${folder}/gold.sql`, database: `${folder}/shop.sqlite` };
      await client.launch({ ...args, stopOnEntry: false }, () =>
        client.ask('setExceptionBreakpoints', { filters: ['rows_diverge'] }),
      );
      await client.ask('exceptionInfo', { threadId: 1 });
      await look(client);
      await client.frames(2);
      await client.move('continue');
    },
  },
  {
    name: 'followed-row',
    query: 'SELECT c.name FROM customer c\nJOIN "order" o ON o.customer_id = c.id\nWHERE o.amount > 15',
    async play(client, folder) {
      await client.launch({ program: `${folder}/query.sql`, database: `${folder}/shop.sqlite` });
      await client.move('next');
      const { variablesReference } = await client.scope('Rows after');
      await client.variables(variablesReference, { filter: 'indexed', start: 0, count: 100 });
      const { dataId } = await client.ask('dataBreakpointInfo', { variablesReference, name: '[0]' });
      await client.ask('setDataBreakpoints', { breakpoints: [{ dataId, accessType: 'write' }] });
      await client.move('continue');
      const lost = await client.scope('Lost here');
      await client.variables(lost.variablesReference);
    },
  },
  {
    name: 'does-not-run',
    query: 'SELECT name\nFROM customer\nWHERE wages > 3',
    async play(client, folder) {
      await client.launch({ program: `${folder}/query.sql`, database: `${folder}/shop.sqlite` });
      await client.move('next');
      await client.ask('exceptionInfo', { threadId: 1 });
      await look(client);
      await client.move('next');
    },
  },
];
