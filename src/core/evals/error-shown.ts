import type { RunConfig } from '../../protocol/ledger.ts';

/** Whether a model is shown its error at the first retry: the protocol `turns` and samples that vote have no retries. */
export function isErrorShown({ protocol, decoding }: Pick<RunConfig, 'protocol' | 'decoding'>): boolean {
  const { samples, retries, repair } = decoding;
  return repair === true && protocol === 'one_shot' && samples === 1 && retries > 0;
}
