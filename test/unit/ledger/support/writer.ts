// Appends to a ledger from a process of its own: `node writer.ts FOLDER PREFIX COUNT`. Prints each run's id once its line
// is on the disk, or the code and message of what went wrong.
import { toWireError } from '../../../../src/protocol/errors.ts';
import { Ledger } from '../../../../src/runtime/store/ledger.ts';
import { evalEntry } from './entry.ts';

const [folder = '', prefix = '', count = '0'] = process.argv.slice(2);
const ledger = new Ledger(folder, null, { onNote: (note) => process.stdout.write(`note ${note}\n`) });
try {
  for (let number = 0; number < Number(count); number += 1) {
    const id = `${prefix}-${number}`;
    await ledger.append(evalEntry(id));
    process.stdout.write(`${id}\n`);
  }
} catch (error) {
  const { code, message } = toWireError(error);
  process.stdout.write(`error ${code} ${message}\n`);
}
