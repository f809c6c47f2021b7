import { readAdapter } from '../../../python-free-trainer/src/io/read-adapter.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { type Learner, openLearner } from '../support/learner.ts';
import { goldenFolder } from './vectors.ts';

/** The tiny model with its starting adapter. */
export async function openGolden(options: { threads?: number; float64?: boolean } = {}): Promise<Learner> {
  const source = await openWeights(goldenFolder);
  try {
    return await openLearner({ source, adapter: await readAdapter(goldenFolder, source.config), ...options });
  } finally {
    await source.close();
  }
}
