import type { RunConfig } from '../../protocol/ledger.ts';

/** The model of a run for people, with an adapter of the user's where one answered: `small with first-run`. */
export function modelTitle({ name, adapterName }: Pick<RunConfig['model'], 'name' | 'adapterName'>): string {
  return adapterName === undefined ? name : `${name} with ${adapterName}`;
}
