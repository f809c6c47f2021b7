import assert from 'node:assert/strict';
import { columnComments } from '../../../src/core/schema/column-comments.ts';

describe('comments in a CREATE TABLE statement', () => {
  it('say what the column before them on the line means, on either side of the comma', () => {
    const sql = `CREATE TABLE player (
      id INTEGER PRIMARY KEY, -- unique id
      "full name" TEXT NOT NULL /* as printed
                                   on the shirt */,
      [height] REAL -- in cm
    )`;
    assert.deepEqual(
      [...columnComments(sql)],
      [
        ['id', 'unique id'],
        ['full name', 'as printed on the shirt'],
        ['height', 'in cm'],
      ],
    );
  });

  it('say nothing of a column when they stand on a line of their own', () => {
    const sql = 'CREATE TABLE t (\n  -- keys\n  id INTEGER,\n  -- old_id INTEGER,\n  name TEXT\n  -- end\n)';
    assert.equal(columnComments(sql).size, 0);
  });

  it('say nothing of a column when they follow a constraint of the table, its name or its end', () => {
    const sql = `CREATE TABLE t -- people
    ( -- begin
      id INTEGER, name TEXT,
      PRIMARY KEY (id), -- one each
      CHECK (name <> '') -- not empty
    ) -- all of them`;
    assert.equal(columnComments(sql).size, 0);
  });

  it('are not looked for inside strings and names', () => {
    const sql = `CREATE TABLE t (a TEXT DEFAULT '-- no', "b -- no" TEXT, c TEXT -- yes\n)`;
    assert.deepEqual([...columnComments(sql)], [['c', 'yes']]);
  });

  it('do not confuse commas inside a type or check with the end of a column', () => {
    const sql = "CREATE TABLE t (price DECIMAL(10, 2) CHECK (price IN (1, 2)), -- in EUR\n name TEXT, -- it's\n x)";
    assert.deepEqual(
      [...columnComments(sql)],
      [
        ['price', 'in EUR'],
        ['name', "it's"],
      ],
    );
  });

  it('are joined where a column has several', () => {
    assert.deepEqual([...columnComments('CREATE TABLE t (a /* key */ TEXT, -- of it\n b)')], [['a', 'key of it']]);
  });
});
