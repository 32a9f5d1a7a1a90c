import type { AccountId } from '../../domain/core/brands.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { OpenedWebSocket } from '../upstream/websocket/openWebSocket.ts';

/** Receives what arrives on a websocket of the provider while a response is in progress. */
export interface FrameListener {
  onFrame(bytes: Buffer): void;
  /** The socket is closed. @param code 1006 without a close frame */
  onClose(code: number): void;
}

export interface UpstreamSocketOptions extends OpenedWebSocket {
  readonly accountId: AccountId;
  readonly account: AccountHeaders;
  readonly route: UpstreamRoute;
  /** Called with what arrives while no response is in progress. */
  readonly onIdleFrame: (bytes: Buffer) => void;
  /** Called once, after the listener. */
  readonly onClosed: () => void;
}

const TEXT = { binary: false };

/** A websocket of one account at the provider. It serves one client socket, one response at a time. */
export class UpstreamSocket {
  readonly #options: UpstreamSocketOptions;
  #listener: FrameListener | undefined;
  /** By `performance.now()`. */
  readonly openedAt: number = performance.now();
  /** While no response is in progress; a response watches its messages itself. */
  lastHeardAt: number = this.openedAt;
  #isClosed = false;

  constructor(options: UpstreamSocketOptions) {
    this.#options = options;
    const { socket, onIdleFrame, onClosed } = options;
    const heard = () => this.#heard();
    socket.on('ping', heard).on('pong', heard);
    socket.on('message', (data, isBinary) => {
      // The provider sends text only, and Codex drops a socket on which something else arrives.
      if (isBinary) socket.terminate();
      else if (this.#listener) this.#listener.onFrame(data as Buffer);
      else {
        heard();
        onIdleFrame(data as Buffer);
      }
    });
    socket.once('close', (code) => {
      this.#isClosed = true;
      const listener = this.#listener;
      this.#listener = undefined;
      listener?.onClose(code);
      onClosed();
    });
  }

  #heard(): void {
    this.lastHeardAt = performance.now();
  }

  get accountId(): AccountId {
    return this.#options.accountId;
  }

  get headers(): OpenedWebSocket['headers'] {
    return this.#options.headers;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  /** Whether it is a socket of this account with its present token and proxy. */
  serves(account: AccountHeaders, route: UpstreamRoute): boolean {
    return this.isOpen && this.#options.account === account && this.#options.route === route;
  }

  get isProxied(): boolean {
    return this.#options.route.proxy !== undefined;
  }

  /** Begins a response. */
  send(frame: readonly Buffer[], listener: FrameListener): void {
    this.#listener = listener;
    const [only] = frame;
    this.#options.socket.send(frame.length === 1 && only ? only : Buffer.concat(frame), TEXT);
  }

  /** The response is complete: what follows belongs to none. */
  release(): void {
    this.#heard();
    this.#listener = undefined;
  }

  ping(): void {
    if (this.isOpen) this.#options.socket.ping();
  }

  pause(): void {
    this.#options.socket.pause();
  }

  resume(): void {
    if (this.isOpen) this.#options.socket.resume();
  }

  /** Closes the connection at once; the response in progress fails. */
  cut(): void {
    this.#options.socket.terminate();
  }

  /** Closes it with a close frame. */
  close(): void {
    this.#listener = undefined;
    this.#options.socket.close(1000);
  }

  /** Closes the connection at once: the only way to cancel a response. */
  terminate(): void {
    this.#listener = undefined;
    this.#options.socket.terminate();
  }
}
