// `npm start [-- FILE.sqlite "question" …]`: set-up, then one question. Without arguments the bundled sample is asked.
import { join } from 'node:path';
import { calledFrom, installPackages, root, runCommandLine } from './setup.mjs';

const SAMPLE = [
  'media/chinook.sqlite',
  'Show the first and last names and the total invoice amount of the 3 customers who spent the most.',
];

installPackages('run');
const given = process.argv.slice(2);
const words = given.length > 0 ? given : [join(root, SAMPLE[0]), SAMPLE[1]];
process.exitCode = await runCommandLine(['ask', ...words], calledFrom);
