import * as z from 'zod/mini';
import { Verdict } from '../../protocol/score.ts';
import type { Judgement } from './judge.ts';

const Kept = z.omit(Verdict, { id: true });

/** How a verdict is kept in the store. */
export const JudgementText = {
  write: (judgement: Judgement): Buffer => Buffer.from(JSON.stringify(judgement)),
  /** null where the bytes are no verdict. */
  read: (value: Buffer): Judgement | null => {
    try {
      return Kept.parse(JSON.parse(value.toString()));
    } catch {
      return null;
    }
  },
};
