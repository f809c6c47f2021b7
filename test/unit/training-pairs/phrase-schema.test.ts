import assert from 'node:assert/strict';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import { renderLines1 } from '../../../src/core/schema/lines1.ts';
import { seedOf } from '../../../src/core/training/pairs/chance.ts';
import { phraseEvidence } from '../../../src/core/training/pairs/phrase-evidence.ts';
import { phraseSchema } from '../../../src/core/training/pairs/phrase-schema.ts';

const catalog =
  catalogFromDdl(`CREATE TABLE student (student_id INTEGER PRIMARY KEY, name TEXT, dept_id INTEGER REFERENCES departments(id));
CREATE TABLE departments (id INTEGER PRIMARY KEY, dept_name TEXT, Dept_Number INTEGER);
CREATE TABLE "grade list" (student_id INTEGER REFERENCES student, grade REAL, "+/-" TEXT);`);
const scan = {
  columns: [{ table: 'departments', column: 'dept_name', values: ['Law', 'Art'], nonNull: 12 }],
  skipped: [],
};
const SEEDS = Array.from({ length: 60 }, (_, index) => seedOf('test', index));
const phrasings = SEEDS.map((seed) => phraseSchema(catalog, scan, seed));
const prompts = phrasings.map(
  (phrasing) => renderLines1({ ...phrasing, tables: null, question: 'How many?', evidence: '' }).user,
);

describe('a schema said otherwise', () => {
  it('is the same for the same seed, and another for most others', () => {
    const again = SEEDS.map((seed) => phraseSchema(catalog, scan, seed));
    assert.deepEqual(
      again.map(({ catalog: other }) => other),
      phrasings.map(({ catalog: other }) => other),
    );
    assert.ok(new Set(prompts).size > 50);
  });

  it('has every table, column, value and foreign key, each column by a name of its own', () => {
    for (const [index, { catalog: other, names }] of phrasings.entries()) {
      assert.equal(other.tables.length, 3);
      for (const { name, columns } of catalog.tables) {
        const table = other.tables.find((candidate) => candidate.name === names.table(name));
        const expected = columns.map((column) => names.column(name, column.name)).sort();
        assert.deepEqual(table?.columns.map((column) => column.name).sort(), expected);
        assert.equal(new Set(expected.map((column) => column.toLowerCase())).size, columns.length);
      }
      const prompt = prompts[index] ?? '';
      assert.match(prompt, /\{'Art', 'Law'\}/);
      assert.equal(prompt.split('\n').filter((line) => line.includes(' = ')).length, 2);
    }
  });

  it('comes in several styles, orders, short and long words, with tables in the plural or marked', () => {
    const all = prompts.join('\n');
    for (const written of [
      /StudentID|StudentId/,
      /STUDENT_ID/,
      /"Student Id"/,
      /studentid/,
      /Student_Id/,
      /department_id|DepartmentId/,
    ])
      assert.match(all, written);
    assert.match(all, /\bstudents\(/i);
    assert.match(all, /student_?(?:data|info|list|records)\(|tbl_?student\(/i);
    assert.match(all, /^student\([^)]*name/im);
    assert.ok(prompts.some((prompt) => /^Schema:\n"?(?:tbl_?)?dep/im.test(prompt)));
    assert.ok(prompts.some((prompt) => /student\w*\((?!student)/i.test(prompt)));
  });

  it('names the columns of a hint as its tables do, and leaves words of the language alone', () => {
    const names = {
      table: (name: string) => name,
      column: (_: string, column: string) => (column === 'name' ? 'FullName' : 'DeptNo'),
    };
    const gold = new Set(['student']);
    assert.equal(
      phraseEvidence("the name of Ann refers to name = 'name'; dept_id stands for MAX(dept_id)", catalog, names, gold),
      "the name of Ann refers to FullName = 'name'; DeptNo stands for MAX(DeptNo)",
    );
  });
});
