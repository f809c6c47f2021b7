import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** What the files of a folder may import: folders of this project and packages, by their beginnings. The longest folder rules. */
const RULES: Record<string, { folders: string[]; packages: string[] }> = {
  'src/protocol': { folders: ['src/protocol'], packages: ['zod'] },
  'src/core': { folders: ['src/core', 'src/protocol'], packages: ['sqlite3-parser', 'zod'] },
  'src/runtime': {
    folders: ['src/runtime', 'src/core', 'src/protocol'],
    packages: ['node:', 'zod', 'better-sqlite3', 'node-llama-cpp'],
  },
  'src/cli': { folders: ['src/cli', 'src/runtime', 'src/core', 'src/protocol'], packages: ['node:', 'zod'] },
  'src/host': {
    folders: ['src/host', 'src/runtime', 'src/core', 'src/protocol'],
    packages: ['node:', 'zod', 'vscode'],
  },
  'webview-ui': {
    folders: ['webview-ui', 'src/protocol'],
    packages: ['zod', 'lit', 'uplot'],
  },
  'python-free-trainer': {
    folders: [
      'python-free-trainer',
      'src/protocol',
      'src/core',
      'src/runtime/sandbox',
      'src/runtime/store/ledger.ts',
      'src/runtime/paths.ts',
      'src/runtime/trainer/process-identity.ts',
    ],
    packages: ['node:', 'zod', 'koffi', '@huggingface/jinja', '@huggingface/tokenizers'],
  },
};

/** Packages that one place alone may import. */
const ONLY_IN: Record<string, string> = {
  vscode: 'src/host/',
  'node:sqlite': 'src/runtime/sandbox/child',
  'better-sqlite3': 'src/runtime/store/',
  'node-llama-cpp': 'src/runtime/model/',
};

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function violations(file: string, rule: { folders: string[]; packages: string[] }): string[] {
  const broken: string[] = [];
  for (const name of importsOf(file)) {
    if (name.startsWith('.')) {
      const target = relative(root, join(root, dirname(file), name)).replaceAll('\\', '/');
      if (!rule.folders.some((folder) => target === folder || target.startsWith(`${folder}/`)))
        broken.push(`${file} imports ${target}`);
      continue;
    }
    if (
      !rule.packages.some(
        (allowed) => name === allowed || name.startsWith(allowed.endsWith(':') ? allowed : `${allowed}/`),
      )
    )
      broken.push(`${file} imports ${name}`);
    const home = ONLY_IN[name];
    if (home && !file.startsWith(home)) broken.push(`${file} imports ${name}, which is for ${home} alone`);
  }
  return broken;
}

describe('layers', () => {
  for (const [folder, rule] of Object.entries(RULES))
    it(`${folder} imports only what its layer may`, () => {
      const files = sourceFiles(folder);
      assert.ok(files.length > 0, `${folder} has no files`);
      assert.deepEqual(
        files.flatMap((file) => violations(file, rule)),
        [],
      );
    });

  it('every file stays under 600 lines, the median under 120', () => {
    const lengths = Object.keys(RULES)
      .flatMap(sourceFiles)
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
      .sort((a, b) => a.lines - b.lines);
    assert.deepEqual(
      lengths.filter(({ lines }) => lines > 600),
      [],
    );
    const median = lengths[Math.floor(lengths.length / 2)];
    assert.ok(median && median.lines < 120, `median is ${JSON.stringify(median)}`);
  });
});
