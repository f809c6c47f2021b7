import { diagnose } from '../doctor/diagnose.ts';
import { EXIT, type ExitCode, UsageError, type Verb, type VerbArgs, type VerbContext } from './verb.ts';

const HELP = `Usage: sql-agent-trainer doctor [--json]

Looks for what training uses: the NVIDIA driver and its GPUs, cuBLASLt, NVRTC and cuDNN, threads and memory, free disk
space. Trains a tiny model for one step on the CPU and compares its losses with the known ones. Without a GPU the CPU is
used. Exit code 1 where something that has to work does not.

Options:
  --json           one JSON object, with the folders that were searched

Environment:
  SQL_AGENT_CUDA_DRIVER   file of the driver's library
  SQL_AGENT_CUBLASLT, SQL_AGENT_NVRTC, SQL_AGENT_CUDNN
                          files of these libraries; "none": do without`;

async function run({ out, env }: VerbContext, args: VerbArgs): Promise<ExitCode> {
  if (args.positionals.length > 0) throw new UsageError('doctor takes no arguments.');
  const found = await diagnose(env);
  const { versions, machine, checks } = found;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const memory = `${gigabytes(machine.memoryBytes)} memory, ${gigabytes(machine.freeMemoryBytes)} free`;
  out.line(`sql-agent-trainer ${versions.program}, Node ${versions.node}, ${machine.platform}`);
  out.line(`${machine.threads} threads, ${memory}`);
  for (const { name, state, detail } of checks) out.line(`  ${state.padEnd(6)}  ${name.padEnd(9)}  ${detail}`);
  const broken = checks.filter(({ state }) => state === 'broken');
  const isOk = broken.length === 0;
  out.json({
    status: isOk ? 'ok' : 'error',
    code: isOk ? null : 'broken',
    message: isOk ? null : broken.map(({ name, detail }) => `${name}: ${detail}`).join(' '),
    ...found,
  });
  return isOk ? EXIT.ok : EXIT.failed;
}

/** `sql-agent-trainer doctor`. */
export const verb: Verb = {
  name: 'doctor',
  summary: 'say what there is to train on, and try it',
  help: HELP,
  options: {},
  run,
};
