// `node test/gpu/emulated.ts [--memory] [WORDS]`: `test/gpu/small-shapes.ts WORDS` without a GPU: the kernels compiled for the host by
// g++ (CXX names another), their threads one at a time. Missing barriers, misaligned addresses and copies that nobody waits for
// end it; --memory also looks at every access to memory (AddressSanitizer), best with the word `exact`. Linux on x86-64.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEmulator } from './emulator/build.ts';

const PROGRAM = fileURLToPath(new URL('./small-shapes.ts', import.meta.url));
const ADDRESS_SANITIZER = ['-fsanitize=address', '-fsanitize-recover=address', '--param', 'asan-stack=0'];
/** Stacks that are switched between are none of its business, and Node frees little at its end. */
const OPTIONS = 'detect_leaks=0:halt_on_error=0:handle_segv=0:detect_stack_use_after_return=0:exitcode=1';

const words = process.argv.slice(2).filter((word) => word !== '--memory');
const isWatched = process.argv.includes('--memory');
const compiler = process.env['CXX'] ?? 'g++';
const folder = mkdtempSync(join(tmpdir(), 'sql-agent-emulator-'));
try {
  const library = buildEmulator(folder, compiler, isWatched ? ADDRESS_SANITIZER : []);
  const env = { ...process.env, SQL_AGENT_CUDA_DRIVER: library };
  if (isWatched) {
    const { stdout } = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' });
    Object.assign(env, { LD_PRELOAD: stdout.trim(), ASAN_OPTIONS: OPTIONS });
  }
  const { status, signal } = spawnSync(process.execPath, [PROGRAM, ...words], { stdio: 'inherit', env });
  if (signal !== null) console.log(`ended by ${signal}`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
