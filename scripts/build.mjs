// `npm run build [-- --tests]`: bundles the extension, the command line, the children and the webviews into dist/, and
// with --tests the tests that run inside VS Code into dist-test/.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, root } from './setup.mjs';

/** Most bytes of script that one webview may load. */
const WEBVIEW_LIMIT = 150 * 1024;
/** Most bytes that the extension may read before it is active: its first file and what that imports at once. */
const START_LIMIT = 128 * 1024;
/** Packages that stay in node_modules: native ones, and those that find their own files there. */
const NATIVE = ['better-sqlite3', 'koffi', 'node-llama-cpp'];

const shared = {
  absWorkingDir: root,
  bundle: true,
  target: 'node22',
  platform: 'node',
  sourcemap: true,
  logLevel: 'warning',
  metafile: true,
  legalComments: 'eof',
};
/** Packages in CommonJS ask for node's own modules by `require`. */
const esModule = {
  format: 'esm',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
};
/** `import.meta.url` in CommonJS. */
const commonJs = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__moduleUrl' },
  banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
};

function programs() {
  const entries = {
    cli: 'src/cli/main.ts',
    'sandbox-child': 'src/runtime/sandbox/child.ts',
    'model-child': 'src/runtime/model/child.ts',
    'trainer-worker': 'python-free-trainer/src/backend/cpu/worker.ts',
    'trainer-engine': 'python-free-trainer/src/engine/thread/engine-thread.ts',
    trainer: 'python-free-trainer/src/cli.ts',
    'trainer-heartbeat': 'python-free-trainer/src/run/heartbeat-thread.ts',
    'trainer-compiler': 'python-free-trainer/src/gpu/compiler-child.ts',
  };
  return Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(root, file))));
}

function webviews() {
  const folder = join(root, 'webview-ui');
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'main.ts')))
    .map((name) => [name, `webview-ui/${name}/main.ts`]);
}

function workbenchTests() {
  const files = readdirSync(join(root, 'test/workbench')).filter((file) => file.endsWith('.ts'));
  return Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), `test/workbench/${file}`]));
}

/** Sizes of the webview scripts in bytes. @throws Error where one is above the limit. */
function webviewSizes(metafile) {
  const sizes = Object.entries(metafile.outputs)
    .filter(([file]) => file.endsWith('.js'))
    .map(([file, { bytes }]) => ({ file, bytes }));
  for (const { file, bytes } of sizes)
    if (bytes > WEBVIEW_LIMIT)
      throw new Error(
        `${file} has ${bytes} bytes of script; a webview may have ${WEBVIEW_LIMIT}. Leave something out.`,
      );
  return sizes;
}

/** @throws Error where the extension reads too much before it is active */
function checkStart({ outputs }) {
  const first = Object.keys(outputs).find((file) => outputs[file].entryPoint === 'src/host/extension.ts');
  const read = new Set();
  const visit = (file) => {
    if (read.has(file)) return;
    read.add(file);
    for (const { path, kind } of outputs[file].imports) if (kind === 'import-statement' && outputs[path]) visit(path);
  };
  visit(first);
  const bytes = [...read].reduce((sum, file) => sum + outputs[file].bytes, 0);
  if (bytes > START_LIMIT)
    throw new Error(
      `The extension reads ${bytes} bytes before it is active; it may read ${START_LIMIT}. Import what is large on first use.`,
    );
}

/**
 * Builds everything into dist/.
 * @param {{ tests?: boolean }} options `tests`: also dist-test/.
 * @returns sizes of the webview scripts in bytes.
 */
export async function build({ tests = false } = {}) {
  // Loaded here: a fresh checkout has no esbuild before its packages are installed.
  const esbuild = await import('esbuild');
  const dist = join(root, 'dist');
  const views = Object.fromEntries(webviews());
  // Parts of an earlier build have other names.
  for (const name of existsSync(dist) ? readdirSync(dist) : []) if (name.startsWith('part-')) rmSync(join(dist, name));
  const [extension, , webview] = await Promise.all([
    esbuild.build({
      ...shared,
      ...esModule,
      entryPoints: { extension: 'src/host/extension.ts' },
      outdir: 'dist',
      external: ['vscode', ...NATIVE],
      // What is imported on first use is a file of its own, so that activation reads little.
      splitting: true,
      chunkNames: 'part-[name]-[hash]',
      // Half as much to read; names stay, for the stacks in the log.
      minifyWhitespace: true,
      minifySyntax: true,
    }),
    esbuild.build({ ...shared, ...esModule, entryPoints: programs(), outdir: 'dist', external: NATIVE }),
    esbuild.build({
      ...shared,
      platform: 'browser',
      target: 'es2022',
      format: 'iife',
      minify: true,
      sourcemap: false,
      entryPoints: views,
      outdir: 'dist/webview',
      define: { 'process.env.NODE_ENV': '"production"' },
    }),
  ]);
  checkStart(extension.metafile);
  if (tests) await buildTests(esbuild);
  const sizes = webviewSizes(webview.metafile);
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'webview-sizes.json'), JSON.stringify(sizes));
  return sizes;
}

async function buildTests(esbuild) {
  // A file of a test that is gone would still run.
  rmSync(join(root, 'dist-test'), { recursive: true, force: true });
  await esbuild.build({
    ...shared,
    ...commonJs,
    entryPoints: workbenchTests(),
    outdir: 'dist-test',
    external: ['vscode', 'mocha', ...NATIVE],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  installPackages('test');
  const started = Date.now();
  const sizes = await build({ tests: process.argv.includes('--tests') });
  for (const { file, bytes } of sizes) console.log(`${file} ${(bytes / 1024).toFixed(1)} KB`);
  console.log(`built in ${Date.now() - started} ms`);
}
