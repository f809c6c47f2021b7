#!/usr/bin/env node
// `sql-agent` in a checkout, on any Node >= 20: set-up where it is missing, then the command line from its source.
import { installPackages, runCommandLine } from './setup.mjs';

installPackages('run');
process.exitCode = await runCommandLine(process.argv.slice(2), process.cwd());
