import type { ApiKeyId } from '../../domain/core/brands.ts';
import type { ClientSocket } from './clientSocket.ts';
import { CloseCode } from './closeCodes.ts';

const TICK_MS = 1_000;
const MAX_SOCKETS = 4_000;
const MAX_PER_KEY = 64;

/** The websockets of all clients. One timer watches all of them. */
export class OpenSockets {
  readonly #sockets = new Set<ClientSocket>();
  /** Upgrades that are being accepted, each with its key: the provider's socket may take seconds. */
  readonly #accepting = new Set<{ readonly keyId: ApiKeyId | null }>();
  readonly #timer: NodeJS.Timeout;
  #isDraining = false;

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (const socket of this.#sockets) socket.tick(now);
    }, TICK_MS).unref();
  }

  /** Connections to the provider. */
  get upstreamConnections(): number {
    let count = 0;
    for (const { upstream } of this.#sockets) if (upstream) count += 1;
    return count;
  }

  get all(): Iterable<ClientSocket> {
    return this.#sockets;
  }

  add(socket: ClientSocket): void {
    this.#sockets.add(socket);
    if (this.#isDraining) socket.drain();
  }

  delete(socket: ClientSocket): void {
    this.#sockets.delete(socket);
  }

  /**
   * Makes room for another socket of a key: closes the one that has been idle for the longest, which costs its conversation
   * nothing.
   * @returns a function to call when the upgrade has been answered; undefined when there is no idle one
   */
  makeRoom(keyId: ApiKeyId | null): (() => void) | undefined {
    const ofKey = [...this.#sockets].filter((socket) => socket.keyId === keyId);
    const accepting = [...this.#accepting].filter((upgrade) => upgrade.keyId === keyId).length;
    const isFull = ofKey.length + accepting >= MAX_PER_KEY || this.#sockets.size + this.#accepting.size >= MAX_SOCKETS;
    if (isFull && !this.#closeLongestIdle(ofKey)) return undefined;
    const upgrade = { keyId };
    this.#accepting.add(upgrade);
    return () => this.#accepting.delete(upgrade);
  }

  #closeLongestIdle(ofKey: readonly ClientSocket[]): boolean {
    const idle = ofKey.filter(({ isBusy }) => !isBusy).sort((a, b) => a.idleSince - b.idleSince);
    const [oldest] = idle;
    oldest?.close(CloseCode.goingAway, 'room');
    if (oldest) this.#sockets.delete(oldest);
    return oldest !== undefined;
  }

  /** Closes idle sockets at once, others after their response. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of this.#sockets) socket.drain();
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.terminate('shutdown');
  }
}
