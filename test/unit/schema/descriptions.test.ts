import assert from 'node:assert/strict';
import { parseCsv } from '../../../src/core/schema/csv.ts';
import { parseDescriptions } from '../../../src/core/schema/descriptions.ts';

describe('CSV', () => {
  it('takes quoted fields with commas, quotes and line feeds in them', () => {
    assert.deepEqual(parseCsv('a,"b, ""c""\nd",e\r\n,,\n"x"\n'), [['a', 'b, "c"\nd', 'e'], ['', '', ''], ['x']]);
  });

  it('takes a last line without a line feed, an empty last field and an unclosed quote', () => {
    assert.deepEqual(parseCsv('a,b\n1,'), [
      ['a', 'b'],
      ['1', ''],
    ]);
    assert.deepEqual(parseCsv('"open, to the end'), [['open, to the end']]);
    assert.deepEqual(parseCsv(''), []);
  });

  it('keeps what stands behind a closing quote', () => {
    assert.deepEqual(parseCsv('"a" b,c'), [['a b', 'c']]);
  });
});

describe('BIRD column descriptions', () => {
  it('give the description and the values, and the readable name where there is no description', () => {
    const csv = [
      '\uFEFForiginal_column_name,column_name,column_description,data_format,value_description',
      'NCESDist,,"  National district id. ",text,',
      'Charter,,,integer,"0: no;\n1: yes"',
      'DOC,District Ownership Code,,text,',
      'Zip,zip,,text,',
    ].join('\n');
    assert.deepEqual(
      [...parseDescriptions(csv)],
      [
        ['ncesdist', 'National district id'],
        ['charter', '0: no; 1: yes'],
        ['doc', 'District Ownership Code'],
      ],
    );
  });

  it('say nothing where the file has other columns', () => {
    assert.equal(parseDescriptions('a,b\n1,2').size, 0);
  });
});
