import type { PackedBatch, Segment } from '../../../python-free-trainer/src/data/batch.ts';

/** A text of tokens; `loss[i]` says whether token i is a target. The first never is. */
export interface Text {
  tokens: number[];
  loss: boolean[];
}

/** A text whose tokens after the first `prompt` are targets. */
export function answerAfter(prompt: number, tokens: readonly number[]): Text {
  return { tokens: [...tokens], loss: tokens.map((_, index) => index >= prompt) };
}

/** Texts one after another, each a segment and an example of its own. */
export function packTexts(texts: readonly Text[]): PackedBatch {
  const pack = new PackBuilder();
  for (const { tokens, loss } of texts) {
    const start = pack.segment(tokens, 0, -1);
    const example = pack.exampleCount++;
    for (let index = 1; index < tokens.length; index++)
      if (loss[index]) pack.target(start + index - 1, tokens[index] ?? 0, example);
  }
  return pack.batch();
}

/** One shared beginning and the rests of the examples that go on from it; every token of a rest is a target. */
export function packShared(prefix: readonly number[], rests: readonly (readonly number[])[]): PackedBatch {
  const pack = new PackBuilder();
  pack.segment(prefix, 0, -1);
  for (const rest of rests) {
    const start = pack.segment(rest, prefix.length, 0);
    const example = pack.exampleCount++;
    for (const [index, token] of rest.entries())
      pack.target(index === 0 ? prefix.length - 1 : start + index - 1, token, example);
  }
  return pack.batch();
}

class PackBuilder {
  exampleCount = 0;
  readonly #tokens: number[] = [];
  readonly #positions: number[] = [];
  readonly #segments: Segment[] = [];
  readonly #lossRows: number[] = [];
  readonly #targets: number[] = [];
  readonly #examples: number[] = [];

  segment(tokens: readonly number[], position: number, parent: number): number {
    const start = this.#tokens.length;
    this.#segments.push({ start, length: tokens.length, parent });
    for (const [index, token] of tokens.entries()) {
      this.#tokens.push(token);
      this.#positions.push(position + index);
    }
    return start;
  }

  target(row: number, token: number, example: number): void {
    this.#lossRows.push(row);
    this.#targets.push(token);
    this.#examples.push(example);
  }

  batch(): PackedBatch {
    return {
      tokens: Int32Array.from(this.#tokens),
      positions: Int32Array.from(this.#positions),
      segments: this.#segments,
      lossRows: Int32Array.from(this.#lossRows),
      targets: Int32Array.from(this.#targets),
      examples: Int32Array.from(this.#examples),
      exampleCount: this.exampleCount,
      plainTokens: this.#tokens.length,
    };
  }
}
