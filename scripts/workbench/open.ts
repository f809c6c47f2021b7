// Serves the workbench on loopback with a folder open, for a person's browser: `node scripts/workbench/open.ts FOLDER`.
// Its settings and keys stay in .cache/vscode for the next time.
import { fileURLToPath } from 'node:url';
import { startServer, vscodeVersion } from './server.ts';

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node scripts/workbench/open.ts FOLDER');
  process.exit(2);
}
const data = fileURLToPath(new URL('../../.cache/vscode', import.meta.url));
const server = await startServer({ data, workspaceTrust: true });
const address = new URL(server.url);
address.searchParams.set('folder', folder);
console.log(
  `VS Code ${vscodeVersion()} with SQL Agent Workbench:\n\n  ${address.href}\n\nOpen it in a browser on this machine. Ctrl-C ends it.`,
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    server.stop();
    process.exit(130);
  });
await new Promise(() => {
  // Until a signal comes.
  setInterval(() => {}, 1 << 30);
});
