import type { RowMark } from '../../src/protocol/grid.ts';
import { countInWords } from './format.ts';

/** The sign beside a row that differs: a few characters, so that no colour is needed. */
export function signOf({ kind, gold, pred }: RowMark): string {
  switch (kind) {
    case 'missing':
      return '−';
    case 'extra':
      return '+';
    case 'recounted':
      return `×${gold}:${pred}`;
    case 'moved':
      return '↕';
  }
}

/** What the sign of a row means. */
export function markInWords({ kind, gold, pred }: RowMark): string {
  switch (kind) {
    case 'missing':
      return 'missing from the prediction';
    case 'extra':
      return 'not in the gold';
    case 'recounted':
      return `${countInWords(gold, 'time')} in the gold, ${countInWords(pred, 'time')} in the prediction`;
    case 'moved':
      return 'another row stands here in the other result';
  }
}
