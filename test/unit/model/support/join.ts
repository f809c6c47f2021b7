// Makes the files of the model `small` ready, as a process of its own. Arguments: storage, models folder.
import { readyModelFiles } from '../../../../src/runtime/model/model-files.ts';

const [, , storage = '', folder = ''] = process.argv;
await readyModelFiles('small', storage, { folder, onStep: (text) => process.stdout.write(`${text}\n`) });
