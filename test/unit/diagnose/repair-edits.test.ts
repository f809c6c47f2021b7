import { aggregateMoves } from '../../../src/core/diagnose/repair/edits/aggregate.ts';
import { columnMoves } from '../../../src/core/diagnose/repair/edits/column.ts';
import { conjunctMoves } from '../../../src/core/diagnose/repair/edits/conjunct.ts';
import { distinctMoves } from '../../../src/core/diagnose/repair/edits/distinct.ts';
import { literalMoves } from '../../../src/core/diagnose/repair/edits/literal.ts';
import { operatorMoves } from '../../../src/core/diagnose/repair/edits/operator.ts';
import { excludes, includes, RepairBench } from './repair-support.ts';

describe('edits of expressions', () => {
  const music = new RepairBench();
  after(() => music.dispose());

  describe('literals', () => {
    it('are replaced by single literals of the gold and by near values of the column', async () => {
      const made = await music.made(
        literalMoves,
        `SELECT name FROM band WHERE country = 'Spain'`,
        `SELECT name FROM band WHERE country = "France" AND id > 7`,
        { 'band.country': ['France', 'Spain', 'spain ', 'Italy'] },
      );
      includes(
        made,
        `SELECT name FROM band WHERE country = 'France'`,
        `SELECT name FROM band WHERE country = 'spain '`,
        `SELECT name FROM band WHERE country = 7`,
      );
      excludes(made, `SELECT name FROM band WHERE country = 'Italy'`);
    });

    it('are numbers off by one, and the same as text', async () => {
      includes(
        await music.made(literalMoves, 'SELECT 1 FROM singer HAVING count(*) > 2'),
        'SELECT 1 FROM singer HAVING count(*) > 3',
        'SELECT 1 FROM singer HAVING count(*) > 1',
        `SELECT 1 FROM singer HAVING count(*) > '2'`,
      );
    });

    it('in double quotes are literals too', async () => {
      includes(
        await music.made(literalMoves, 'SELECT 1 FROM band WHERE country = "spain"', null, {
          'band.country': ['Spain'],
        }),
        `SELECT 1 FROM band WHERE country = 'Spain'`,
      );
    });
  });

  describe('operators', () => {
    it('of comparisons are flipped, AND and OR change places', async () => {
      includes(
        await music.made(operatorMoves, `SELECT 1 FROM singer WHERE age > 20 AND name = 'A%'`),
        `SELECT 1 FROM singer WHERE age >= 20 AND name = 'A%'`,
        `SELECT 1 FROM singer WHERE age > 20 OR name = 'A%'`,
        `SELECT 1 FROM singer WHERE age > 20 AND name <> 'A%'`,
        `SELECT 1 FROM singer WHERE age > 20 AND name LIKE 'A%'`,
      );
    });

    it('get NOT before them and lose it', async () => {
      includes(
        await music.made(
          operatorMoves,
          `SELECT 1 FROM singer WHERE id IN (SELECT singer_id FROM concert) AND name NOT LIKE 'A%' AND age NOT  BETWEEN 1 AND 2`,
        ),
        `SELECT 1 FROM singer WHERE id NOT IN (SELECT singer_id FROM concert) AND name NOT LIKE 'A%' AND age NOT  BETWEEN 1 AND 2`,
        `SELECT 1 FROM singer WHERE id IN (SELECT singer_id FROM concert) AND name LIKE 'A%' AND age NOT  BETWEEN 1 AND 2`,
        `SELECT 1 FROM singer WHERE id IN (SELECT singer_id FROM concert) AND name NOT LIKE 'A%' AND age BETWEEN 1 AND 2`,
      );
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE band_id IS NULL'),
        'SELECT 1 FROM singer WHERE band_id IS NOT NULL',
      );
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE band_id NOTNULL'),
        'SELECT 1 FROM singer WHERE band_id IS NULL',
      );
    });

    it('are IS before NULL', async () => {
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE band_id = NULL'),
        'SELECT 1 FROM singer WHERE band_id IS NULL',
      );
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE band_id <> NULL'),
        'SELECT 1 FROM singer WHERE band_id IS NOT NULL',
      );
    });

    it('are IS NULL before a text that stands for nothing', async () => {
      includes(
        await music.made(operatorMoves, `SELECT 1 FROM singer WHERE name = '' AND band_id <> 'N/A'`),
        `SELECT 1 FROM singer WHERE name IS NULL AND band_id <> 'N/A'`,
        `SELECT 1 FROM singer WHERE name = '' AND band_id IS NOT NULL`,
      );
      excludes(
        await music.made(operatorMoves, `SELECT 1 FROM singer WHERE name = 'Ann'`),
        'SELECT 1 FROM singer WHERE name IS NULL',
      );
    });

    it('are OR in parentheses beside AND', async () => {
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE age = 1 OR age = 2 AND salary > 3 AND id > 0'),
        'SELECT 1 FROM singer WHERE (age = 1 OR age = 2) AND salary > 3 AND id > 0',
      );
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE salary > 3 AND age = 1 OR age = 2'),
        'SELECT 1 FROM singer WHERE salary > 3 AND (age = 1 OR age = 2)',
      );
    });

    it('divide without dropping the fraction', async () => {
      includes(
        await music.made(operatorMoves, 'SELECT round(sum(age) / count(*), 1) FROM singer'),
        'SELECT round(sum(age) * 1.0 / count(*), 1) FROM singer',
      );
      excludes(await music.made(operatorMoves, 'SELECT age / 2.0 FROM singer'), 'SELECT age * 1.0 / 2.0 FROM singer');
    });

    it('are IN for = before a subquery', async () => {
      includes(
        await music.made(operatorMoves, 'SELECT 1 FROM singer WHERE id = (SELECT singer_id FROM concert)'),
        'SELECT 1 FROM singer WHERE id IN (SELECT singer_id FROM concert)',
      );
    });
  });

  describe('columns', () => {
    it('are other ones of the tables of the same block, with their alias where there are several', async () => {
      const made = await music.made(columnMoves, 'SELECT s.name FROM singer s JOIN band b ON s.band_id = b.id');
      includes(
        made,
        'SELECT b.name FROM singer s JOIN band b ON s.band_id = b.id',
        'SELECT s.age FROM singer s JOIN band b ON s.band_id = b.id',
        'SELECT s.name FROM singer s JOIN band b ON s.id = b.id',
      );
      excludes(made, 'SELECT concert.year FROM singer s JOIN band b ON s.band_id = b.id');
    });

    it('stand in place of a function of them', async () => {
      includes(
        await music.made(
          columnMoves,
          'SELECT round(salary, 1) FROM singer WHERE trim(name) = 1 ORDER BY CAST(age AS TEXT)',
        ),
        'SELECT salary FROM singer WHERE trim(name) = 1 ORDER BY CAST(age AS TEXT)',
        'SELECT round(salary, 1) FROM singer WHERE name = 1 ORDER BY CAST(age AS TEXT)',
        'SELECT round(salary, 1) FROM singer WHERE trim(name) = 1 ORDER BY age',
      );
    });

    it('in a subquery are those of its own tables', async () => {
      const made = await music.made(columnMoves, 'SELECT name FROM singer WHERE id IN (SELECT id FROM concert)');
      includes(made, 'SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)');
      excludes(made, 'SELECT name FROM singer WHERE id IN (SELECT salary FROM concert)');
    });
  });

  describe('aggregates', () => {
    it('have another function, another argument, or DISTINCT', async () => {
      includes(
        await music.made(aggregateMoves, 'SELECT COUNT(*) FROM singer'),
        'SELECT COUNT(DISTINCT name) FROM singer',
        'SELECT COUNT(name) FROM singer',
        'SELECT MAX(age) FROM singer',
      );
      includes(
        await music.made(aggregateMoves, 'SELECT max(age) FROM singer'),
        'SELECT MIN(age) FROM singer',
        'SELECT COUNT(DISTINCT age) FROM singer',
        'SELECT COUNT(*) FROM singer',
        'SELECT age FROM singer',
      );
    });

    it('are put around a bare column', async () => {
      includes(
        await music.made(aggregateMoves, 'SELECT name, age FROM singer GROUP BY name'),
        'SELECT name, MAX(age) FROM singer GROUP BY name',
        'SELECT name, COUNT(*) FROM singer GROUP BY name',
      );
    });
  });

  describe('DISTINCT', () => {
    it('comes and goes behind SELECT and inside an aggregate', async () => {
      includes(
        await music.made(distinctMoves, 'SELECT name, count( age ) FROM singer'),
        'SELECT DISTINCT name, count( age ) FROM singer',
        'SELECT name, count( DISTINCT age ) FROM singer',
      );
      includes(
        await music.made(distinctMoves, 'SELECT DISTINCT name, count(DISTINCT age) FROM singer'),
        'SELECT name, count(DISTINCT age) FROM singer',
        'SELECT DISTINCT name, count(age) FROM singer',
      );
      includes(await music.made(distinctMoves, 'SELECT ALL name FROM singer'), 'SELECT DISTINCT name FROM singer');
    });
  });

  describe('conjuncts', () => {
    it('are left out, one at a time, the clause with the last', async () => {
      includes(
        await music.made(conjunctMoves, 'SELECT 1 FROM singer WHERE age > 1 AND (id = 2 OR name = 3)'),
        'SELECT 1 FROM singer WHERE (id = 2 OR name = 3)',
        'SELECT 1 FROM singer WHERE age > 1',
        'SELECT 1 FROM singer WHERE age > 1 AND (id = 2)',
        'SELECT 1 FROM singer',
      );
    });

    it('are added as one column, operator and literal', async () => {
      const made = await music.made(
        conjunctMoves,
        'SELECT name FROM singer GROUP BY name',
        `SELECT name FROM singer WHERE age >= 30 AND name LIKE 'A%' GROUP BY name HAVING count(*) > 2`,
      );
      includes(
        made,
        'SELECT name FROM singer WHERE age >= 30 GROUP BY name',
        `SELECT name FROM singer WHERE name LIKE 'A%' GROUP BY name`,
        'SELECT name FROM singer WHERE band_id IS NOT NULL GROUP BY name',
        'SELECT name FROM singer GROUP BY name HAVING COUNT(*) > 2',
      );
      excludes(made, `SELECT name FROM singer WHERE age >= 30 AND name LIKE 'A%' GROUP BY name`);
    });

    it('are added behind OR in parentheses, whose last operand they would change otherwise', async () => {
      const made = await music.made(
        conjunctMoves,
        'SELECT 1 FROM singer WHERE id = 1 OR id = 2',
        'SELECT 1 FROM singer WHERE age = 30',
      );
      excludes(made, 'SELECT 1 FROM singer WHERE id = 1 OR id = 2 AND age = 30');
      includes(made, 'SELECT 1 FROM singer WHERE (id = 1 OR id = 2) AND age = 30');
    });
  });
});
