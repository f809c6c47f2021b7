import { duplicatesInWords, shapeInWords, uncheckedInWords } from '../core/signals/describe.ts';
import type { AskEvent, AskResult, Turn } from '../protocol/ask.ts';
import type { Linked } from '../protocol/catalog.ts';
import type { GoldComparison } from './ask-gold.ts';
import { renderTable } from './table.ts';
import type { Output } from './verb.ts';

const LEFT_NAMED = 12;
const DIM = '\u001b[2m';
const BOLD = '\u001b[1m';
const RESET = '\u001b[0m';

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Indents every line, so that a reply cannot be taken for what the program says. */
function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** Text of others without control characters that could steer the terminal. */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD');
}

function turnEnding({ action, status, error, rows, tables, ms }: Turn): string {
  if (action === 'inspect' || action === 'add_table')
    return `${action === 'inspect' ? 'looks at' : 'asks for'} ${tables.join(', ') || 'a table'}`;
  if (status === 'ok') return `${plural(rows ?? 0, 'row')} (turn took ${seconds(ms)})`;
  if (error) return `${status ?? error.code}: ${error.message}`;
  return action === 'invalid' ? 'no action in this reply' : action;
}

/** Prints a question as it is worked on: turns as they stream, then the answer with its signals. */
export class AskView {
  readonly #out: Output;
  #streaming = 0;
  #atLineStart = true;
  #lastPhase = '';

  constructor(out: Output) {
    this.#out = out;
  }

  onEvent(event: AskEvent): void {
    switch (event.type) {
      case 'phase':
        this.#phase(event.phase, event.detail);
        break;
      case 'linked':
        this.#linked(event.linked);
        break;
      case 'token':
        this.#token(event.turn, event.text);
        break;
      case 'turn':
        this.#turn(event.turn);
        break;
      case 'note':
        this.#out.log(`note: ${event.text}`);
        break;
      case 'result':
      case 'failed':
        break;
    }
  }

  #style(code: string, text: string): string {
    return this.#out.colour ? `${code}${text}${RESET}` : text;
  }

  #phase(phase: string, detail: string | null): void {
    const text = phase === 'loading' ? `Loading the model${detail ? `: ${detail}` : ' …'}` : detail;
    if (text && text !== this.#lastPhase) this.#out.log(text);
    this.#lastPhase = text ?? '';
  }

  #linked({ kept, left }: Linked): void {
    if (left.length === 0) return;
    const named = left.slice(0, LEFT_NAMED).join(', ');
    const more = left.length > LEFT_NAMED ? ` and ${left.length - LEFT_NAMED} more` : '';
    this.#out.line(`Tables kept: ${kept.join(', ')}`);
    this.#out.line(this.#style(DIM, `Left out: ${named}${more}`));
  }

  #token(turn: number, text: string): void {
    if (this.#streaming !== turn) {
      this.#streaming = turn;
      this.#out.line();
      this.#out.line(this.#style(BOLD, `Turn ${turn}`));
      this.#atLineStart = true;
    }
    const shown = harmless(text);
    this.#out.write((this.#atLineStart ? '  ' : '') + shown.replaceAll('\n', '\n  '));
    this.#atLineStart = false;
  }

  #turn(turn: Turn): void {
    if (this.#streaming !== turn.index) this.#token(turn.index, turn.reply);
    const sample = turn.sample ? ` (sample with seed ${turn.sample.seed}, temperature ${turn.sample.temperature})` : '';
    const repair = turn.repairs === true ? ' (shown its error)' : '';
    this.#out.line();
    this.#out.line(`  → ${turn.action}: ${harmless(turnEnding(turn))}${sample}${repair}`);
    if (turn.observation !== '') this.#out.line(this.#style(DIM, indent(harmless(turn.observation))));
  }

  /** The answer: SQL, rows, signals, model, notes, time. */
  result(result: AskResult, gold: GoldComparison | null): void {
    const out = this.#out;
    out.line();
    if (result.sql !== null) {
      out.line(this.#style(BOLD, 'SQL'));
      out.line(indent(harmless(result.sql)));
      out.line();
    }
    if (result.status === 'ok') this.#rows(result);
    else out.log(`sql-agent: ${result.status} (${result.code}): ${result.message}`);
    for (const sentence of signalSentences(result)) out.line(sentence);
    for (const sentence of voteSentences(result)) out.line(sentence);
    if (gold) out.line(goldSentence(gold));
    for (const note of result.notes) out.line(`Note: ${note}`);
    const { name, accuracy } = result.model;
    out.line(`Model: ${name}. ${accuracy ?? 'How often it is right was never measured.'}`);
    out.line(`Time: ${seconds(result.ms)}`);
  }

  #rows(result: AskResult): void {
    const out = this.#out;
    if (result.rows.length > 0) out.line(renderTable(result.columns, result.rows, out.width));
    out.line(
      `${result.rows.length === 0 ? 'No rows' : plural(result.rows.length, 'row')}${result.truncated ? ', and more that were cut off' : ''}`,
    );
    out.line();
  }
}

/** The two signals in plain sentences. */
function signalSentences({ signals, status }: AskResult): string[] {
  const { duplicates, expected, agrees, differences } = signals;
  if (status !== 'ok') return [];
  const said = expected?.source === 'model' ? 'the model says' : 'by a rule over the question';
  const shape =
    expected === null
      ? 'Expected shape: unknown for this question.'
      : `Expected shape: ${shapeInWords(expected)} (${said}).`;
  const open = expected === null ? null : uncheckedInWords(expected);
  const fits = agrees === true ? `The result fits it. ${open ?? ''}` : differences.join(' ');
  return [
    `${shape} ${fits}`.trim(),
    duplicates === null ? 'Duplicated rows: none.' : `Duplicated rows: ${duplicatesInWords(duplicates)}`,
  ];
}

function voteSentences({ vote }: AskResult): string[] {
  return (vote ?? []).map(({ votes, samples, status, rows, sql }, index) => {
    const what = status === 'ok' ? plural(rows, 'row') : status;
    return `${index === 0 ? 'Vote: ' : '      '}${plural(votes, 'vote')} (samples ${samples.join(', ')}), ${what}: ${harmless(sql)}`;
  });
}

function goldSentence({ status, message, equal }: GoldComparison): string {
  if (equal === null) return `The correct query failed (${status}): ${message}`;
  return equal ? 'The rows equal those of the correct query.' : 'The rows differ from those of the correct query.';
}
