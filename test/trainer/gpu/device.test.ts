import { strict as assert } from 'node:assert';
import { chooseDevice, createEngine } from '../../../python-free-trainer/src/engine/create.ts';
import { randomModel, TINY } from '../support/models.ts';

const NOWHERE = '/nowhere/libcuda.so.1';

describe('the device "auto"', () => {
  it('is the CPU where there is no driver, and says why', async () => {
    const { device, note } = await chooseDevice({ SQL_AGENT_CUDA_DRIVER: NOWHERE });
    assert.equal(device, 'cpu');
    assert.match(
      note ?? '',
      /^The CPU computes: the NVIDIA driver was not found \(.+\)\. On a machine with an NVIDIA GPU install/,
    );
  });

  it('tells the reason with the engine', async () => {
    const before = process.env['SQL_AGENT_CUDA_DRIVER'];
    process.env['SQL_AGENT_CUDA_DRIVER'] = NOWHERE;
    try {
      const source = randomModel(TINY.llama, 1);
      const lora = { r: 2, alpha: 4, rslora: false, targets: ['q_proj' as const] };
      const engine = await createEngine({ device: 'auto', source, lora, adapter: null, seed: 1, threads: 1 });
      assert.equal(engine.info.device, 'cpu');
      assert.match(engine.info.note ?? '', /driver/);
      await engine.close();
    } finally {
      if (before === undefined) delete process.env['SQL_AGENT_CUDA_DRIVER'];
      else process.env['SQL_AGENT_CUDA_DRIVER'] = before;
    }
  });
});
