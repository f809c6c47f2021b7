import { strict as assert } from 'node:assert';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSanitizer, readSanitizer } from '../../gpu/sanitizer-report.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** As the tool prints, a line of the program between. */
const said = (...lines: string[]) =>
  ['ok   a case', '========= COMPUTE-SANITIZER', ...lines.map((line) => `========= ${line}`)].join('\n');

describe('what compute-sanitizer says', () => {
  it('is clean where it counts no errors', () => {
    assert.deepEqual(readSanitizer(said('ERROR SUMMARY: 0 errors')), { errors: 0, found: {}, words: [] });
    const races = 'RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)';
    assert.equal(readSanitizer(said(races)).errors, 0);
  });

  it('names each kind of error with its kernel', () => {
    const lines = [
      'Invalid __global__ write of size 4 bytes',
      '    at widen_rows+0x130',
      '    by thread (64,0,0) in block (0,0,0)',
      '',
      'Invalid __global__ write of size 4 bytes',
      '    at widen_rows+0x130',
      '    by thread (65,0,0) in block (0,0,0)',
      '',
      'Uninitialized __global__ memory read of size 2 bytes',
      '    at copy_columns(unsigned short *, int)+0x80 in rows.cu:12',
      'ERROR SUMMARY: 3 errors',
    ];
    assert.deepEqual(readSanitizer(said(...lines)), {
      errors: 3,
      found: {
        'Invalid __global__ write in widen_rows': 2,
        'Uninitialized __global__ memory read in copy_columns': 1,
      },
      words: [],
    });
  });

  it('names races, as it tells of them and of single hazards', () => {
    const lines = [
      'Error: Race reported between Write access at planted_race+0xf0',
      '    and Read access at planted_race+0x280 [4 hazards]',
      'ERROR: Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :',
      '    Write Thread (0,0,0) at planted_race+0x2f0',
      'RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)',
    ];
    const { errors, found } = readSanitizer(said(...lines));
    assert.equal(errors, 2);
    assert.deepEqual(found, {
      'Error: Race reported in planted_race': 1,
      'ERROR: Potential WAW hazard in planted_race': 1,
    });
  });

  it('is its own words where it saw nothing of the program', () => {
    const lost = 'Error: Target application terminated before first instrumented API call';
    const report = readSanitizer(said("Error: process didn't terminate successfully", lost));
    assert.deepEqual(report, { errors: null, found: {}, words: [lost] });
    const blind = 'Internal Sanitizer Error: The Sanitizer encountered an error while launching swiglu';
    assert.equal(readSanitizer(said(blind, 'ERROR SUMMARY: 0 errors')).errors, null);
    assert.deepEqual(readSanitizer('unrecognised option --padding'), { errors: null, found: {}, words: [] });
  });
});

describe('compute-sanitizer', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('is found on the PATH where it can be run, and where it is named', () => {
    const path = join(folder.path, 'compute-sanitizer');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o644);
    assert.notEqual(findSanitizer({ PATH: folder.path }).path, path);
    chmodSync(path, 0o755);
    assert.equal(findSanitizer({ PATH: folder.path }).path, path);
    assert.equal(findSanitizer({ COMPUTE_SANITIZER: path }).path, path);
    assert.equal(findSanitizer({ COMPUTE_SANITIZER: '/nowhere' }).path, null);
  });

  it('is looked for in toolkits', () => {
    const { searched } = findSanitizer({ PATH: '', CUDA_HOME: '/opt/some-toolkit' });
    for (const name of ['bin', 'compute-sanitizer']) assert.ok(searched.includes(`/opt/some-toolkit/${name}`));
  });
});
