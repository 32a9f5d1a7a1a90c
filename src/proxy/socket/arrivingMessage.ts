import type { MemoryBudget, MemoryShare } from '../requestBody/memoryBudget.ts';

/** A client that sends a large request acquires its memory in steps of this size. */
const STEP_BYTES = 65_536;
/** Of a control frame from a client, with its mask (RFC 6455, section 5.5). */
const CONTROL_HEAD_BYTES = 6;

/** The memory of the message that is arriving on a socket, which acquires it before it is a whole request. */
export class ArrivingMessage {
  readonly #share: MemoryShare;
  #arrivedBytes = 0;
  #acquiredBytes = 0;

  constructor(memoryBudget: Pick<MemoryBudget, 'createShare'>) {
    this.#share = memoryBudget.createShare();
  }

  /** Called with what has arrived on the connection, before the socket reads it, and with what it unpacks to. @throws ProxyError when it does not fit into memory */
  onBytes(bytes: number): void {
    this.#arrivedBytes += bytes;
    const missing = this.#arrivedBytes - this.#acquiredBytes;
    if (missing < STEP_BYTES) return;
    this.#share.acquire(missing);
    this.#acquiredBytes = this.#arrivedBytes;
  }

  /** Called with the payload of a ping or pong, which `onBytes` has counted, but which no message keeps. */
  onControlFrame(payload: Buffer): void {
    this.#arrivedBytes = Math.max(0, this.#arrivedBytes - CONTROL_HEAD_BYTES - payload.length);
  }

  /** The message is complete, or never will be: its request acquires memory of its own. */
  end(): void {
    this.#share.close();
    this.#arrivedBytes = 0;
    this.#acquiredBytes = 0;
  }
}
