import { countOf } from '../core/signals/describe.ts';
import { count } from '../protocol/figures.ts';
import type { Ledger } from '../runtime/store/ledger.ts';
import type { VerifyOptions } from '../runtime/store/ledger-verify.ts';
import { EXIT, type ExitCode, type Output } from './verb.ts';

/** `ledger verify`: exit code 1 where anything is not as it was written. */
export async function verifyRuns(ledger: Ledger, out: Output, options: VerifyOptions): Promise<ExitCode> {
  const { lines, runs, head, problems, notes } = await ledger.verify(options);
  for (const { message } of problems) out.line(message);
  for (const note of notes) out.line(`note: ${note}`);
  const found = problems.length === 0 ? 'all as written' : countOf(problems.length, 'problem');
  out.line(`${ledger.path}: ${countOf(lines, 'line')}, ${countOf(runs, 'run')}: ${found}.`);
  if (head !== null) {
    out.line(`head: ${head}`);
    if (options.head === undefined)
      out.line('Lines that were cut off at the end leave no trace here. Note the head elsewhere; --head compares it.');
  }
  const body = { ledger: ledger.path, lines, runs, head, problems, notes };
  if (problems.length === 0) out.json({ status: 'ok', ...body });
  else {
    const message = `${count(problems.length)} of the ledger's lines or output files are not as they were written.`;
    out.json({ status: 'error', code: 'ledger_not_as_written', message, ...body });
  }
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}
