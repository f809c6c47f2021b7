// `npm run bench [-- NAME …]`: runs the benchmarks named (all without a name), prints a table and, last, one JSON line.
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Benchmark, Measurement } from './measurement.ts';

const here = new URL('./', import.meta.url);
const files = readdirSync(here).filter((file) => file.endsWith('.bench.ts'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !files.includes(`${name}.bench.ts`));
if (unknown.length > 0) {
  console.error(
    `no benchmark named ${unknown.join(', ')}; there are: ${files.map((file) => file.replace('.bench.ts', '')).join(', ')}`,
  );
  process.exit(2);
}

const results: Record<string, Measurement[]> = {};
for (const file of files) {
  const name = file.replace('.bench.ts', '');
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { benchmark }: { benchmark: Benchmark } = await import(new URL(file, here).href);
  console.error(`# ${name}: ${benchmark.title}`);
  const measurements = await benchmark.run();
  results[name] = measurements;
  for (const { what, value, unit, reach } of measurements)
    console.log(`| ${name} | ${what} | ${Number(value.toPrecision(4))} ${unit} | ${reach ?? ''} |`);
}
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version };
console.log(JSON.stringify({ date: new Date().toISOString(), machine, results }));
