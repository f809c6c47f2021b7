import type { Readable, Writable } from 'node:stream';
import type { DapMessage } from '../../protocol/dap.ts';
import { notTheProtocol } from './errors.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Bytes of one message at most: what claims to be longer is no message of the protocol. */
const MOST_BYTES = 64 * 2 ** 20;

/** Bytes before the content of a message at most. */
const MOST_OF_HEAD = 64 * 1024;

/** Cuts a stream of bytes into messages: `Content-Length: N`, an empty line, N bytes of JSON in UTF-8. */
export class MessageReader {
  #kept: Uint8Array[] = [];
  #size = 0;
  /** Bytes that must be there before it is worth looking. */
  #wanted = 0;

  /** The messages that are whole with these bytes. @throws AppError `dap_input` where the bytes are no such stream */
  push(bytes: Uint8Array): string[] {
    this.#kept.push(bytes);
    this.#size += bytes.length;
    if (this.#size < this.#wanted) return [];
    let all = Buffer.concat(this.#kept);
    const messages: string[] = [];
    this.#wanted = 0;
    for (;;) {
      const head = all.indexOf(HEAD_END);
      if (head < 0 && all.length > MOST_OF_HEAD) throw notTheProtocol('a message has no Content-Length');
      if (head < 0) break;
      const start = head + HEAD_END.length;
      const end = start + lengthOf(all.toString('ascii', 0, head));
      if (all.length < end) {
        this.#wanted = end;
        break;
      }
      messages.push(all.toString('utf8', start, end));
      all = all.subarray(end);
    }
    this.#kept = [all];
    this.#size = all.length;
    return messages;
  }
}

function lengthOf(head: string): number {
  const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? Number.NaN);
  if (!(length <= MOST_BYTES)) throw notTheProtocol('a message has no Content-Length');
  return length;
}

/** @throws AppError `dap_input` */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notTheProtocol('a message is no JSON');
  }
}

/** A message as it is written to a stream. */
function framed(message: DapMessage): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Something that takes requests and sends messages. */
export interface MessagePort {
  handleMessage(message: unknown): void;
  onMessage(listener: (message: DapMessage) => void): void;
}

/**
 * Speaks the protocol over two streams until the client disconnects, the input ends or `signal` aborts.
 * @throws AppError `dap_input` for bytes that are none of it
 */
export async function serve(port: MessagePort, input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
    input.destroy();
  };
  port.onMessage((message) => {
    output.write(framed(message));
    if (message.type === 'response' && message.command === 'disconnect') end();
  });
  const reader = new MessageReader();
  signal.addEventListener('abort', end, { once: true });
  try {
    for await (const bytes of input) for (const text of reader.push(bytes)) port.handleMessage(parsed(text));
  } catch (error) {
    if (!isOver) throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
