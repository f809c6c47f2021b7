import { defaultTrainingConfig } from '../../../../src/core/training/defaults.ts';
import type { LedgerEntry } from '../../../../src/protocol/ledger.ts';

export type TrainEntry = Extract<LedgerEntry, { kind: 'train' }>;

const HASH = '0'.repeat(64);

/** What a training run of a small model writes into the ledger. */
export function trainEntry(run_id: string, changes: Partial<TrainEntry> = {}): TrainEntry {
  const train = { path: '/data/pairs.jsonl', sha256: HASH, bytes: 100 };
  return {
    kind: 'train',
    run_id,
    started: '2026-11-30T08:00:00.000Z',
    state: 'done',
    command: ['sql-agent-trainer', 'train', '/runs/first'],
    git: null,
    machine: { program: '0.1.0', node: '24.22.3', platform: 'linux-x64', cpus: 2, device: 'CPU, 2 threads' },
    config: defaultTrainingConfig({ base: '/models/small.gguf', data: train.path }),
    config_hash: HASH,
    base: {
      name: 'small',
      architecture: 'llama',
      parameters: 134_515_008,
      file: { path: '/models/small.gguf', sha256: HASH, bytes: 98_362_432 },
    },
    trained_parameters: 19_537_920,
    data: { train, eval: null, examples: 950, held_out: 50 },
    summary: {
      steps: 180,
      of: 180,
      loss: 0.1234,
      eval_loss: 0.25,
      best: { step: 150, loss: 0.2 },
      tokens: 1_000_000,
      loss_tokens: 50_000,
      ms: 61_000,
    },
    output: { path: '/runs/first/adapter.gguf', sha256: HASH, bytes: 0 },
    ...changes,
  };
}
