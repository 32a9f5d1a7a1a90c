import { MessagePort, type Worker } from 'node:worker_threads';
import { type ErrorData, fromErrorData, ThreadEnded, toErrorData } from './errors.ts';
import { Transfer } from './transfer.ts';

/** Declares messages by name: each is a function of at most one payload. */
export type Messages = { readonly [name: string]: (payload: never) => unknown };

/** No messages of a kind. */
export type NoMessages = Record<never, never>;

/** The messages that one side of a channel accepts. */
export interface Endpoint {
  /** Messages with a reply: what the function returns, or the error that it throws. */
  readonly requests?: Messages;
  /** Messages without one. */
  readonly notifications?: Messages;
}

type Declared<Kind> = Kind extends Messages ? Kind : NoMessages;
export type RequestsOf<Side extends Endpoint> = Declared<Side['requests']>;
export type NotificationsOf<Side extends Endpoint> = Declared<Side['notifications']>;

/** The payload, or a `Transfer` of it; no argument for a message without payload. */
export type Payload<Message> = Message extends (...args: infer Args) => unknown
  ? { [Index in keyof Args]: Args[Index] | Transfer<Args[Index]> }
  : never;
export type Result<Message> = Message extends (...args: never) => infer Returned ? Awaited<Returned> : never;

type Handler<Message> = Message extends (...args: infer Args) => unknown
  ? (
      ...args: Args
    ) => Result<Message> | Transfer<Result<Message>> | Promise<Result<Message> | Transfer<Result<Message>>>
  : never;

/** Handle the requests that one side accepts; a result may be a `Transfer`. */
export type RequestHandlers<Kind extends Messages> = { readonly [Name in keyof Kind]: Handler<Kind[Name]> };
/** Handle the notifications that one side accepts. An error that a handler throws is not caught. */
export type NotificationHandlers<Kind extends Messages> = {
  readonly [Name in keyof Kind]: Kind[Name] extends (...args: infer Args) => unknown ? (...args: Args) => void : never;
};

const REQUEST = 0;
const NOTIFICATION = 1;
const RESULT = 2;
const ERROR = 3;

/** Arrays, because objects with keys take longer to clone. */
type Message =
  | readonly [typeof REQUEST, name: string, payload: unknown, id: number]
  | readonly [typeof NOTIFICATION, name: string, payload: unknown]
  | readonly [typeof RESULT, id: number, result: unknown]
  | readonly [typeof ERROR, id: number, error: ErrorData];

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

type AnyHandlers = Readonly<Record<string, (payload?: unknown) => unknown>>;

/**
 * Requests, replies and notifications over a message port, for one side of it. Messages arrive in the order in which they
 * were sent; a reply is sent as soon as its handler has a result.
 */
export class Channel<Remote extends Endpoint, Local extends Endpoint = NoMessages> {
  readonly #port: MessagePort | Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #inProgress = new Set<Promise<void>>();
  #nextId = 1;
  #closed: Error | undefined;
  #requests: AnyHandlers = {};
  #notifications: AnyHandlers = {};

  constructor(port: MessagePort | Worker) {
    this.#port = port;
    if (port instanceof MessagePort) port.once('close', () => this.close());
  }

  /** Starts receiving. The port queues messages that arrive earlier. */
  receive(
    requests: RequestHandlers<RequestsOf<Local>>,
    notifications: NotificationHandlers<NotificationsOf<Local>>,
  ): void {
    this.#requests = requests as AnyHandlers;
    this.#notifications = notifications as AnyHandlers;
    this.#port.on('message', (message: Message) => this.#onMessage(message));
  }

  /**
   * Rejects with what the handler threw (see `fromErrorData`), with `ThreadEnded` when the channel closes before the reply, or
   * with a `DataCloneError` when the payload cannot be cloned.
   */
  request<Name extends keyof RequestsOf<Remote> & string>(
    name: Name,
    ...payload: Payload<RequestsOf<Remote>[Name]>
  ): Promise<Result<RequestsOf<Remote>[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw this.#closed;
      const id = this.#nextId++;
      const given = payload[0] as unknown;
      if (given instanceof Transfer) this.#port.postMessage([REQUEST, name, given.value, id], given.objects);
      else this.#port.postMessage([REQUEST, name, given, id]);
      this.#pending.set(id, { resolve, reject });
    });
  }

  /** Does nothing once the channel is closed. */
  notify<Name extends keyof NotificationsOf<Remote> & string>(
    name: Name,
    ...payload: Payload<NotificationsOf<Remote>[Name]>
  ): void {
    if (this.#closed) return;
    const given = payload[0] as unknown;
    if (given instanceof Transfer) this.#port.postMessage([NOTIFICATION, name, given.value], given.objects);
    else this.#port.postMessage([NOTIFICATION, name, given]);
  }

  /** Resolves when no request handler is running. */
  async idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }

  /** Rejects the requests that wait for a reply, and all later ones. */
  close(error = new ThreadEnded('the channel is closed')): void {
    this.#closed ??= error;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }

  #onMessage(message: Message): void {
    switch (message[0]) {
      case REQUEST:
        this.#handle(message[1], message[2], message[3]);
        return;
      case NOTIFICATION:
        this.#notifications[message[1]]?.(message[2]);
        return;
      case RESULT:
        this.#take(message[1])?.resolve(message[2] as never);
        return;
      case ERROR:
        this.#take(message[1])?.reject(fromErrorData(message[2]));
    }
  }

  #handle(name: string, payload: unknown, id: number): void {
    try {
      const handler = this.#requests[name];
      if (!handler) throw new TypeError(`no handler for the request "${name}"`);
      const result = handler(payload);
      if (result instanceof Promise) this.#replyLater(id, result);
      else this.#reply(id, result);
    } catch (error) {
      this.#replyError(id, error);
    }
  }

  #replyLater(id: number, promise: Promise<unknown>): void {
    const replied = promise
      .then((result) => this.#reply(id, result))
      .catch((error: unknown) => this.#replyError(id, error))
      .finally(() => this.#inProgress.delete(replied));
    this.#inProgress.add(replied);
  }

  #reply(id: number, result: unknown): void {
    if (result instanceof Transfer) this.#port.postMessage([RESULT, id, result.value], result.objects);
    else this.#port.postMessage([RESULT, id, result]);
  }

  #replyError(id: number, error: unknown): void {
    this.#port.postMessage([ERROR, id, toErrorData(error)]);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
