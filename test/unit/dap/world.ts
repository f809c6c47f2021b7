import { temporaryFolder } from '../../support/temporary.ts';
import { DapClient } from './client.ts';

/** A shop: orders without a customer, customers without orders, a view, equal names in two cases. */
const SHOP = `
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer_id INTEGER, amount INTEGER, status TEXT);
CREATE VIEW paid AS SELECT id, customer_id, amount FROM "order" WHERE status = 'paid';
INSERT INTO customer VALUES (1, 'Ann', 'Bonn'), (2, 'Bo', 'Ulm'), (3, 'Can', NULL), (4, 'Dee', 'Bonn');
INSERT INTO "order" VALUES (1, 1, 10, 'paid'), (2, 1, 20, 'open'), (3, 2, 30, 'paid'), (4, NULL, 40, 'paid'),
  (5, 3, NULL, 'open'), (6, 2, 30, 'paid');`;

/** A folder with `shop.sqlite`. */
export function shopFolder() {
  const folder = temporaryFolder();
  return { ...folder, db: folder.database('shop.sqlite', SHOP) };
}

/** What the tests of a `describe` work with: one folder for all, a client for each. */
export interface DebuggerWorld {
  readonly folder: ReturnType<typeof shopFolder>;
  readonly client: DapClient;
}

/** Makes and removes the world around the tests of a `describe`; to be looked into inside tests. */
export function useDebugger(): DebuggerWorld {
  const folder = shopFolder();
  const world = { folder, client: new DapClient(folder.path) };
  beforeEach(() => {
    world.client = new DapClient(folder.path);
  });
  afterEach(() => world.client.close());
  after(() => folder.remove());
  return world;
}
