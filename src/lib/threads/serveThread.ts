import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  Channel,
  type Endpoint,
  type NotificationHandlers,
  type NotificationsOf,
  type RequestHandlers,
  type RequestsOf,
} from './channel.ts';
import { type OwnerEndpoint, START, STOP, type ThreadProtocol } from './threadProtocol.ts';

/** What a thread provides once it has started: data for `ready`, and its handlers. */
export interface ThreadService<Protocol extends ThreadProtocol> {
  readonly ready?: Protocol['ready'];
  readonly requests?: RequestHandlers<RequestsOf<Protocol>>;
  readonly notifications?: NotificationHandlers<NotificationsOf<Protocol>>;
  /**
   * Finishes work and closes resources, so that the thread can end. Requests still in progress get their replies.
   * @param timeoutMs time to finish in, if there is a limit
   */
  readonly stop?: (timeoutMs: number | undefined) => Promise<void> | void;
}

/** Sends a report to the owner of the thread. */
export type Report<Protocol extends ThreadProtocol> = Channel<OwnerEndpoint<Protocol>>['notify'];

/** Asks the owner of the thread. Rejects with the error of its handler. */
export type Ask<Protocol extends ThreadProtocol> = Channel<OwnerEndpoint<Protocol>>['request'];

/**
 * Serves the owner of this worker thread until it stops us (`startThread` is the other end). An error that `start` throws
 * fails the owner's `ready`, and ends the thread; one that escapes from anything else but the handler of a request is uncaught.
 * @param start opens what the thread works with
 */
export async function serveThread<Protocol extends ThreadProtocol>(
  start: (
    options: Protocol['options'],
    report: Report<Protocol>,
    ask: Ask<Protocol>,
  ) => ThreadService<Protocol> | Promise<ThreadService<Protocol>>,
): Promise<void> {
  const port = parentPort as MessagePort;
  const channel = new Channel<OwnerEndpoint<Protocol>, Endpoint>(port);
  const report = channel.notify.bind(channel) as Report<Protocol>;
  const ask = channel.request.bind(channel) as Ask<Protocol>;
  let service: ThreadService<Protocol>;
  try {
    service = await start(workerData, report, ask);
  } catch (error) {
    channel.receive({ [START]: () => failStart(error) }, {});
    return;
  }

  function failStart(error: unknown): never {
    // The reply is sent synchronously after the throw, so the port closes after it.
    queueMicrotask(() => port.close());
    throw error;
  }

  async function stop(timeoutMs: number | undefined): Promise<void> {
    await service.stop?.(timeoutMs);
    await channel.idle();
    port.close();
  }

  channel.receive({ ...service.requests, [START]: () => service.ready }, { ...service.notifications, [STOP]: stop });
}

/**
 * Wraps the handler of a request whose errors may leave the thread in an inconsistent state: they end the thread, so that the
 * request is rejected with `ThreadEnded` and, if the thread is restarted, a new one takes the next request.
 */
export function orEndThread<Args extends readonly unknown[], Returned>(
  handler: (...args: Args) => Returned,
): (...args: Args) => Returned | Promise<never> {
  return (...args) => {
    try {
      const returned = handler(...args);
      return returned instanceof Promise ? (returned.catch(endThread) as Returned) : returned;
    } catch (error) {
      return endThread(error);
    }
  };
}

function endThread(error: unknown): Promise<never> {
  queueMicrotask(() => {
    throw error;
  });
  return new Promise(() => {});
}
