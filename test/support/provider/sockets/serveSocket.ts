import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { SimulatedAccount } from '../account.ts';
import { problemOfCreate } from '../bodyRules.ts';
import { messageReceived, type ReceivedRequest, type RequestLog } from '../received.ts';
import type { ResponseScript } from '../responseScript.ts';
import { contextOf } from '../scriptContext.ts';
import { playOnSocket } from './playOnSocket.ts';
import {
  closeOldSocket,
  type ErrorFrame,
  errorFrame,
  type Keepalive,
  previousResponseNotFound,
  responseInProgress,
  type SimulatedSocket,
} from './socketRules.ts';

export interface ServeSocketOptions {
  socket: WebSocket;
  connection: Socket;
  /** The upgrade: token and account come from here, for the whole life of the socket. */
  request: ReceivedRequest;
  account: SimulatedAccount;
  log: RequestLog;
  strict: boolean;
  now: () => number;
  keepalive: Keepalive;
  headersFor(account: SimulatedAccount): Record<string, string>;
}

/** Answers the creates on one socket by the provider's rules, one at a time, with the scripts of its account. */
export function serveSocket({ socket, connection, request: upgrade, account, ...options }: ServeSocketOptions): void {
  const { log, strict, now, keepalive, headersFor } = options;
  const closed = new AbortController();
  let latest: { id: string; totalTokens: number } | undefined;
  let isBusy = false;

  const handle: SimulatedSocket = {
    number: upgrade.socket ?? 0,
    openedAt: now(),
    get latestId() {
      return latest?.id;
    },
    get isBusy() {
      return isBusy;
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    ping: () => socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    reset: () => connection.resetAndDestroy(),
  };
  account.sockets.push(handle);
  const stopPings = sendPings(socket, connection, keepalive);

  socket.on('error', () => undefined); // the close that follows is what counts
  socket.on('close', (code) => {
    stopPings();
    account.sockets.splice(account.sockets.indexOf(handle), 1);
    upgrade.closeCode = code;
    closed.abort();
    log.changed();
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(1003, 'Text messages only');
    void respond(messageReceived(upgrade, data as Buffer, now()));
  });

  async function respond(create: ReceivedRequest): Promise<void> {
    create.account = account.id;
    log.add(create);
    const refusal = ruleBroken(create);
    if (refusal || closeOldSocket(handle, now())) {
      create.script = refusal ? `refused: ${refusal.error.message}` : 'refused: older than 60 minutes';
      create.status = refusal?.status ?? 400;
      if (refusal) handle.send(refusal);
      create.finished = create.ended = true;
      return log.changed();
    }
    const json = create.json as Record<string, unknown>;
    const previous = json.previous_response_id === undefined ? undefined : latest;
    const script: ResponseScript = json.generate === false ? account.prewarms.take() : account.responses.take();
    create.script = script.name;
    isBusy = true;
    account.inFlight += 1;
    try {
      const { completed, failed } = await playOnSocket(script, {
        context: { ...contextOf(create, account, now()), ...(previous && { continues: previous }) },
        request: create,
        socket,
        connection,
        account,
        headers: headersFor(account),
        disconnected: closed.signal,
        onChange: log.changed,
      });
      if (completed) latest = completed;
      else if (failed && previous) latest = undefined;
      create.finished = completed !== undefined || failed;
    } catch (error) {
      if (!closed.signal.aborted) throw error;
      create.aborted = !create.wasReset;
    } finally {
      isBusy = false;
      account.inFlight -= 1;
      create.ended = true;
      log.changed();
    }
  }

  function ruleBroken({ json }: ReceivedRequest): ErrorFrame | undefined {
    if (isBusy) return responseInProgress();
    const problem = strict ? problemOfCreate(json) : undefined;
    const named = (json as Record<string, unknown> | undefined)?.previous_response_id;
    if (problem !== undefined) {
      if (named !== undefined && named === latest?.id) latest = undefined;
      return errorFrame(400, { message: problem });
    }
    return named === undefined || named === latest?.id ? undefined : previousResponseNotFound(named);
  }
}

/** Pings the client, and closes with 1011 when a pong is missing. @returns a function that ends it */
function sendPings(socket: WebSocket, connection: Socket, { intervalMs, timeoutMs }: Keepalive): () => void {
  let deadline: NodeJS.Timeout | undefined;
  const interval = setInterval(() => {
    socket.ping();
    deadline ??= setTimeout(() => {
      socket.close(1011, 'keepalive ping timeout');
      connection.destroySoon(); // a client that does not pong does not answer a close frame
    }, timeoutMs).unref();
  }, intervalMs).unref();
  socket.on('pong', () => {
    clearTimeout(deadline);
    deadline = undefined;
  });
  return () => {
    clearInterval(interval);
    clearTimeout(deadline);
  };
}
