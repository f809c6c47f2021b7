import type { LitElement, ReactiveController } from 'lit';
import type { Channel } from '../../src/protocol/channel.ts';
import { SideDown, type SideMessage } from '../../src/protocol/result-side.ts';
import { ResultTables, type TableRequest } from '../ask/result-tables.ts';
import { Host } from './host.ts';
import { Toast } from './toast.ts';

const SIDE_TYPES: ReadonlySet<string> = new Set(SideDown.flatMap(({ shape }) => shape.type.def.values));

function isSideMessage(message: { type: string }): message is SideMessage {
  return SIDE_TYPES.has(message.type);
}

/**
 * What pages with results of queries share: the way to the extension host, rows that are asked for by the page, short
 * messages, and the sentence that a screen reader is told.
 */
export class PanelPage<Up extends { type: string }, Own extends { type: string }> implements ReactiveController {
  readonly host: Host<Up | TableRequest | { type: 'ready' }, Own | SideMessage>;
  readonly tables: ResultTables;
  readonly toast: Toast;
  readonly #element: LitElement;
  readonly #receive: (message: Own) => void;
  #revision = 0;
  #said = '';

  /** @param receive takes the messages that are the page's own */
  constructor(
    element: LitElement,
    channel: Channel<Up | TableRequest | { type: 'ready' }, Own | SideMessage>,
    receive: (message: Own) => void,
  ) {
    this.host = new Host(channel);
    this.tables = new ResultTables((message) => this.host.post(message));
    this.toast = new Toast(element);
    this.#element = element;
    this.#receive = receive;
    element.addController(this);
  }

  /** Grows with each page of rows. */
  get revision(): number {
    return this.#revision;
  }

  /** What a screen reader is told last. */
  get said(): string {
    return this.#said;
  }

  say(text: string): void {
    this.#said = text;
    this.#element.requestUpdate();
  }

  hostConnected(): void {
    this.host.listen((message) => (isSideMessage(message) ? this.#takeSide(message) : this.#receive(message)));
    this.#element.addEventListener('send', (event) => this.host.post((event as CustomEvent<Up>).detail));
    this.host.post({ type: 'ready' });
  }

  #takeSide(message: SideMessage): void {
    if (message.type === 'done') {
      this.say(message.text);
      this.toast.show(message.text);
      return;
    }
    this.tables.take(message);
    this.#revision += 1;
    this.#element.requestUpdate();
  }
}
