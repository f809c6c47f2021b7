import { diagnoseInstallation } from '../../runtime/doctor.ts';
import { readableBytes } from '../../runtime/model/errors.ts';
import { storageFolder } from '../../runtime/paths.ts';
import { EXIT, type ExitCode, UsageError, type Verb, type VerbArgs, type VerbContext } from '../verb.ts';

const HELP = `Usage: sql-agent doctor [--json]

Tries what a question needs, each for real: Node, the sandbox (a query runs, a write is refused), the store, the local
models, the engine that runs them and its GPU, the storage folder. Exit code 1 where something is broken.`;

async function run({ out, env }: VerbContext, args: VerbArgs): Promise<ExitCode> {
  if (args.positionals.length > 0) throw new UsageError('doctor takes no arguments.');
  const found = await diagnoseInstallation(storageFolder(env));
  const broken = found.checks.filter((check) => !check.ok);
  const { versions, machine, folders, models } = found;
  const free = folders.freeBytes === null ? '' : `, ${readableBytes(folders.freeBytes)} free`;
  out.line(`SQL Agent Workbench ${versions.workbench} on ${machine.platform}, ${machine.cores} cores${free}`);
  for (const check of found.checks)
    out.line(`  ${check.ok ? 'ok    ' : 'broken'}  ${check.name.padEnd(7)}  ${check.detail}`);
  for (const model of models) out.line(`  model   ${model.name.padEnd(7)}  ${model.state}`);
  out.json({
    status: broken.length === 0 ? 'ok' : 'error',
    code: broken.length === 0 ? null : 'broken',
    message: broken.length === 0 ? null : broken.map((check) => `${check.name}: ${check.detail}`).join(' '),
    ...found,
  });
  return broken.length === 0 ? EXIT.ok : EXIT.failed;
}

/** `sql-agent doctor`. */
export const verb: Verb = { name: 'doctor', summary: 'check this installation', help: HELP, options: {}, run };
