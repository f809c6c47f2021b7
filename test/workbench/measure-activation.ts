import { appendFileSync } from 'node:fs';
import { runningExtension } from './support/extension.ts';

/** Measures `activate`, once in an extension host's life (bench/activate.bench.ts). */
export async function run(): Promise<void> {
  const extension = runningExtension();
  if (extension.isActive) throw new Error('the extension is active although nobody used it');
  const { activateMs } = await extension.activate();
  appendFileSync(process.env['SQL_AGENT_RESULT'] ?? '', `${JSON.stringify({ activateMs })}\n`);
}
