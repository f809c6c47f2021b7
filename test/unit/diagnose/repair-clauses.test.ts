import assert from 'node:assert/strict';
import { groupByMoves } from '../../../src/core/diagnose/repair/edits/group-by.ts';
import { joinAdditions } from '../../../src/core/diagnose/repair/edits/join-add.ts';
import { joinConditions, joinsInWhere } from '../../../src/core/diagnose/repair/edits/join-on.ts';
import { joinKinds, joinRemovals } from '../../../src/core/diagnose/repair/edits/join-remove.ts';
import { limitMoves } from '../../../src/core/diagnose/repair/edits/limit.ts';
import { orderByMoves } from '../../../src/core/diagnose/repair/edits/order-by.ts';
import { selectItemMoves } from '../../../src/core/diagnose/repair/edits/select-items.ts';
import { setOperationMoves } from '../../../src/core/diagnose/repair/edits/set-operation.ts';
import { tableMoves } from '../../../src/core/diagnose/repair/edits/table.ts';
import { excludes, includes, RepairBench } from './repair-support.ts';

describe('edits of clauses', () => {
  const music = new RepairBench();
  after(() => music.dispose());

  describe('joins', () => {
    it('are left out; columns of the table are named by what its condition sets equal', async () => {
      includes(
        await music.made(joinRemovals, 'SELECT b.id FROM singer s JOIN band b ON s.band_id = b.id WHERE s.age > 1'),
        'SELECT s.band_id FROM singer s WHERE s.age > 1',
      );
    });

    it('are left out at the first table too, and with those that hang on them', async () => {
      includes(
        await music.made(
          joinRemovals,
          'SELECT c.year FROM band b JOIN singer s ON s.band_id = b.id JOIN concert c ON c.singer_id = s.id',
        ),
        'SELECT c.year FROM singer s JOIN concert c ON c.singer_id = s.id',
      );
      includes(
        await music.made(
          joinRemovals,
          'SELECT b.name FROM band b JOIN singer s ON s.band_id = b.id JOIN concert c ON c.singer_id = s.id',
        ),
        'SELECT b.name FROM band b',
      );
    });

    it('are not left out where something else names their columns', async () => {
      excludes(
        await music.made(joinRemovals, 'SELECT b.country FROM singer s JOIN band b ON s.band_id = b.id'),
        'SELECT b.country FROM singer s',
      );
    });

    it('change between LEFT and inner', async () => {
      includes(
        await music.made(joinKinds, 'SELECT 1 FROM singer s LEFT JOIN band b ON s.band_id = b.id'),
        'SELECT 1 FROM singer s JOIN band b ON s.band_id = b.id',
      );
      includes(
        await music.made(joinKinds, 'SELECT 1 FROM singer s JOIN band b ON s.band_id = b.id'),
        'SELECT 1 FROM singer s LEFT JOIN band b ON s.band_id = b.id',
      );
    });

    it('are added along foreign keys, and bare names that get a namesake say their table', async () => {
      includes(
        await music.made(joinAdditions, 'SELECT age, name FROM singer WHERE age > 1'),
        'SELECT age, singer.name FROM singer JOIN band ON band.id = singer.band_id WHERE age > 1',
      );
    });

    it('are added together with the use of a column that the gold names', async () => {
      includes(
        await music.made(
          joinAdditions,
          'SELECT s.name FROM singer AS s',
          `SELECT b.name FROM singer AS s JOIN band AS b ON b.id = s.band_id WHERE b.country = 'Spain'`,
        ),
        'SELECT band.name FROM singer AS s JOIN band ON band.id = s.band_id',
        `SELECT s.name FROM singer AS s JOIN band ON band.id = s.band_id WHERE band.country = 'Spain'`,
      );
    });

    it('are added on columns that the gold names where the schema declares no key', async () => {
      includes(
        await music.made(
          joinAdditions,
          'SELECT b.name FROM band b',
          'SELECT b.name FROM band b JOIN concert c ON c.year = b.id',
        ),
        'SELECT b.name FROM band b JOIN concert ON concert.year = b.id',
      );
    });

    it('are made on the keys of the tables', async () => {
      includes(
        await music.made(joinConditions, 'SELECT 1 FROM singer s JOIN band b ON s.id = b.id'),
        'SELECT 1 FROM singer s JOIN band b ON s.band_id = b.id',
      );
    });

    it('set keys equal in WHERE where tables stand in FROM without a condition', async () => {
      includes(
        await music.made(joinsInWhere, 'SELECT 1 FROM singer s, band b WHERE s.age > 5'),
        'SELECT 1 FROM singer s, band b WHERE s.age > 5 AND s.band_id = b.id',
      );
      includes(
        await music.made(joinsInWhere, 'SELECT 1 FROM singer s JOIN band b ORDER BY 1'),
        'SELECT 1 FROM singer s JOIN band b WHERE s.band_id = b.id ORDER BY 1',
      );
      for (const joined of ['singer s, band b WHERE b.id = s.band_id', 'singer s JOIN band b ON s.id = b.id'])
        assert.deepEqual(await music.made(joinsInWhere, `SELECT 1 FROM ${joined}`), []);
    });

    it('name another table that has the columns, or one of its columns for the one it lacks', async () => {
      includes(await music.made(tableMoves, 'SELECT name FROM singer'), 'SELECT name FROM band');
      includes(
        await music.made(tableMoves, 'SELECT singer.name FROM singer'),
        'SELECT singer.name FROM band AS singer',
      );
      includes(await music.made(tableMoves, 'SELECT 1 FROM band, singer'), 'SELECT 1 FROM band, band AS singer');
      includes(
        await music.made(tableMoves, 'SELECT x.name, x.age FROM singer AS x', 'SELECT name, country FROM band'),
        'SELECT x.name, x.country FROM band AS x',
      );
    });
  });

  describe('GROUP BY', () => {
    it('loses a term or the clause, and gets a term', async () => {
      includes(
        await music.made(groupByMoves, 'SELECT name FROM singer GROUP BY name, age ORDER BY 1'),
        'SELECT name FROM singer GROUP BY age ORDER BY 1',
        'SELECT name FROM singer GROUP BY name ORDER BY 1',
        'SELECT name FROM singer ORDER BY 1',
        'SELECT name FROM singer GROUP BY name, age, band_id ORDER BY 1',
      );
    });

    it('is added behind WHERE', async () => {
      includes(
        await music.made(groupByMoves, 'SELECT name FROM singer WHERE age > 1 LIMIT 2'),
        'SELECT name FROM singer WHERE age > 1 GROUP BY name LIMIT 2',
      );
    });
  });

  describe('ORDER BY', () => {
    it('changes direction and term, goes and comes', async () => {
      includes(
        await music.made(orderByMoves, 'SELECT name FROM singer ORDER BY age DESC, id LIMIT 1'),
        'SELECT name FROM singer ORDER BY age ASC, id LIMIT 1',
        'SELECT name FROM singer ORDER BY age DESC, id DESC LIMIT 1',
        'SELECT name FROM singer ORDER BY salary DESC, id LIMIT 1',
        'SELECT name FROM singer ORDER BY age DESC LIMIT 1',
        'SELECT name FROM singer LIMIT 1',
      );
      includes(
        await music.made(orderByMoves, 'SELECT name FROM singer'),
        'SELECT name FROM singer ORDER BY age DESC',
        'SELECT name FROM singer ORDER BY name',
      );
    });

    it('is by aggregates where rows are groups', async () => {
      includes(
        await music.made(orderByMoves, 'SELECT name FROM singer GROUP BY name ORDER BY sum(age)'),
        'SELECT name FROM singer GROUP BY name ORDER BY COUNT(*)',
        'SELECT name FROM singer GROUP BY name ORDER BY AVG(age)',
      );
    });
  });

  describe('LIMIT', () => {
    it('is off by one, goes, and comes with as many rows as the gold has', async () => {
      includes(
        await music.made(limitMoves, 'SELECT 1 FROM singer LIMIT 2'),
        'SELECT 1 FROM singer LIMIT 3',
        'SELECT 1 FROM singer LIMIT 1',
        'SELECT 1 FROM singer',
      );
      includes(
        await music.made(limitMoves, 'SELECT id FROM singer ORDER BY id;', 'SELECT id FROM singer WHERE id < 5'),
        'SELECT id FROM singer ORDER BY id LIMIT 4;',
      );
    });
  });

  describe('select items', () => {
    it('are left out; where their alias is used their expression stands instead', async () => {
      includes(
        await music.made(selectItemMoves, 'SELECT name, count(*) AS n FROM singer GROUP BY name ORDER BY n DESC'),
        'SELECT name FROM singer GROUP BY name ORDER BY count(*) DESC',
        'SELECT count(*) AS n FROM singer GROUP BY name ORDER BY n DESC',
      );
    });

    it('are added in front and behind, where the gold has them', async () => {
      includes(
        await music.made(selectItemMoves, 'SELECT name, age FROM singer', 'SELECT name, id, age FROM singer'),
        'SELECT name, id, age FROM singer',
        'SELECT name, age, salary FROM singer',
        'SELECT COUNT(*), name, age FROM singer',
      );
    });

    it('change places', async () => {
      includes(
        await music.made(selectItemMoves, 'SELECT name, age, id FROM singer', 'SELECT age, id, name FROM singer'),
        'SELECT age, name, id FROM singer',
        'SELECT age, id, name FROM singer',
      );
    });

    it('of a star are named', async () => {
      includes(await music.made(selectItemMoves, 'SELECT * FROM singer'), 'SELECT name FROM singer');
    });
  });

  it('set operations become other ones', async () => {
    includes(
      await music.made(setOperationMoves, 'SELECT id FROM singer UNION  ALL SELECT id FROM band'),
      'SELECT id FROM singer UNION SELECT id FROM band',
      'SELECT id FROM singer INTERSECT SELECT id FROM band',
      'SELECT id FROM singer EXCEPT SELECT id FROM band',
    );
  });
});
