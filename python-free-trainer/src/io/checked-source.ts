import { firstNotFinite } from './dequant-floats.ts';
import { notFinite, tensorMissing } from './errors.ts';
import type { WeightSource } from './weight-source.ts';

/** How the tensors of an open model are read; each name is one of its shapes'. */
export type TensorAccess = Pick<WeightSource, 'read' | 'close'>;

/** The weights of an open model, each checked to be there and to be finite. */
export function checkedSource(facts: Omit<WeightSource, 'read' | 'close'>, access: TensorAccess): WeightSource {
  return {
    ...facts,
    async read(name, into) {
      if (!facts.shapes.has(name)) throw tensorMissing(facts.file.path, name);
      const values = await access.read(name, into);
      const bad = firstNotFinite(values);
      if (bad >= 0) throw notFinite(facts.file.path, name, bad);
      return values;
    },
    close: () => access.close(),
  };
}
