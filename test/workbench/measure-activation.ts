import { appendFileSync } from 'node:fs';
import { runningExtension } from './support/extension.ts';

/** Measures the activation of the extension, once in an extension host's life (bench/activate.bench.ts). */
export async function run(): Promise<void> {
  const extension = runningExtension();
  if (extension.isActive) throw new Error('the extension is active although nobody used it');
  const started = performance.now();
  const { activateMs } = await extension.activate();
  const totalMs = performance.now() - started;
  appendFileSync(process.env['SQL_AGENT_RESULT'] ?? '', `${JSON.stringify({ activateMs, totalMs })}\n`);
}
