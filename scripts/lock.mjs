// Writes package-lock.json and takes the GPU builds of node-llama-cpp out of it again.
//
// They are optional packages of 600 MB that npm would install on every Linux and Windows machine. `npm ci` installs what
// the lock file names, so without them it installs the CPU build alone; a user with a GPU adds one by name (README,
// "Local models"). Run this instead of `npm install` after a change of dependencies.
import { execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const GPU_BUILD = /@node-llama-cpp\/.*-(cuda|cuda-ext|vulkan)$/;

execSync('npm install --package-lock-only --ignore-scripts', { stdio: 'inherit' });
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const withoutGpu = (record) => Object.fromEntries(Object.entries(record).filter(([name]) => !GPU_BUILD.test(name)));
lock.packages = withoutGpu(lock.packages);
const llama = lock.packages['node_modules/node-llama-cpp'];
llama.optionalDependencies = withoutGpu(llama.optionalDependencies);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
// npm also writes down as installed what it has only locked; set-up would believe it and install nothing.
rmSync('node_modules/.package-lock.json', { force: true });
