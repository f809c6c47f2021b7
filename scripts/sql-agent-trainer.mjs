#!/usr/bin/env node
// `sql-agent-trainer` in a checkout, on any Node >= 20: set-up where it is missing, then the trainer from its source.
import { installPackages, runProgram } from './setup.mjs';

installPackages('run');
process.exitCode = await runProgram('python-free-trainer/src/cli.ts', process.argv.slice(2), process.cwd());
