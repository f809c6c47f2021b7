import type { Readable, Writable } from 'node:stream';
import type { DapMessage } from '../../protocol/dap.ts';
import { notTheProtocol } from './errors.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Bytes of one message at most: what claims to be longer is no message of the protocol. */
const MOST_BYTES = 64 * 2 ** 20;

/** Cuts a stream of bytes into messages: `Content-Length: N`, an empty line, N bytes of JSON in UTF-8. */
export class MessageReader {
  #kept: Buffer = Buffer.alloc(0);

  /** The messages that are whole with these bytes. @throws AppError `dap_input` where the bytes are no such stream */
  push(bytes: Uint8Array): string[] {
    this.#kept = Buffer.concat([this.#kept, bytes]);
    const messages: string[] = [];
    for (;;) {
      const head = this.#kept.indexOf(HEAD_END);
      if (head < 0) break;
      const length = lengthOf(this.#kept.toString('ascii', 0, head));
      const start = head + HEAD_END.length;
      if (this.#kept.length < start + length) break;
      messages.push(this.#kept.toString('utf8', start, start + length));
      this.#kept = this.#kept.subarray(start + length);
    }
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

/** Speaks the protocol over two streams until the input ends or `signal` aborts. @throws AppError `dap_input` for bytes that are none of it */
export async function serve(port: MessagePort, input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
  port.onMessage((message) => output.write(framed(message)));
  const reader = new MessageReader();
  const end = () => input.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    for await (const bytes of input) for (const text of reader.push(bytes)) port.handleMessage(parsed(text));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
