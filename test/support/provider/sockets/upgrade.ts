import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SimulatedAccount } from '../account.ts';
import { playScript, untilDisconnected } from '../playScript.ts';
import { receiveHead } from '../receive.ts';
import type { ReceivedRequest, RequestLog } from '../received.ts';
import { stepsOf } from '../responseScript.ts';
import { type RouteOptions, routeUpgrade } from '../route.ts';
import { contextOf } from '../scriptContext.ts';
import { serveSocket } from './serveSocket.ts';
import { closeOldSocket, type Keepalive } from './socketRules.ts';

/** One byte less than the size from which the provider closes with 1009 (openai/codex#38846). */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 1;

export interface SocketServerOptions {
  log: RequestLog;
  routing: RouteOptions;
  /** Accepts permessage-deflate when the client offers it. */
  deflate: boolean;
  keepalive: Keepalive;
  headersFor(account: SimulatedAccount | undefined): Record<string, string>;
}

/** Upgrades below the paths of POST requests: accepts or refuses them as the account's script says. */
export function createSocketServer({ log, routing, deflate, keepalive, headersFor }: SocketServerOptions) {
  const connections = new Set<Duplex>();
  const accepted = new WeakMap<IncomingMessage, Record<string, string>>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: deflate,
  });
  server.on('headers', (lines, req) => {
    for (const [name, value] of Object.entries(accepted.get(req) ?? {})) lines.push(`${name}: ${value}`);
  });
  let number = 0;

  async function upgrade(req: IncomingMessage, connection: Socket, head: Buffer): Promise<void> {
    connections.add(connection);
    const closed = new AbortController();
    connection.once('close', () => {
      connections.delete(connection);
      closed.abort();
    });
    connection.on('error', () => connection.destroy());
    const request = receiveHead(req, routing.now);
    const { account, script } = routeUpgrade(request, routing);
    request.account = account?.id;
    request.script = script.name;
    log.add(request);
    try {
      const context = contextOf(request, account, routing.now());
      const steps = [...stepsOf(script, context)];
      const accepts = steps.findIndex((step) => 'head' in step && step.head === 101);
      const acceptance = steps[accepts];
      if (account && acceptance && 'head' in acceptance) {
        for (const step of steps.slice(0, accepts)) {
          if ('waitMs' in step) await pause(step.waitMs, undefined, { signal: closed.signal });
          else if ('until' in step) await step.until;
        }
        accepted.set(req, { ...headersFor(account), ...acceptance.headers });
        request.status = 101;
        request.socket = ++number;
        server.handleUpgrade(req, connection, head, (socket) => open({ socket, connection, request, account }));
      } else {
        await refuse({ req, connection, request, script: { ...script, steps }, account, disconnected: closed.signal });
      }
    } catch (error) {
      connection.destroy();
      if (!closed.signal.aborted) throw error;
    }
    await untilDisconnected(closed.signal);
    request.ended = true;
    log.changed();
  }

  function open(opened: {
    socket: WebSocket;
    connection: Socket;
    request: ReceivedRequest;
    account: SimulatedAccount;
  }) {
    serveSocket({ ...opened, log, strict: routing.strict, now: routing.now, keepalive, headersFor });
    log.changed();
  }

  /** Responds over HTTP, with a body if the script has one, and closes the connection. */
  async function refuse({ req, connection, disconnected, account, ...playing }: Refusal): Promise<void> {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(connection);
    res.once('finish', () => connection.end());
    await playScript(playing.script, {
      context: contextOf(playing.request, account, routing.now()),
      request: playing.request,
      res,
      headers: { ...headersFor(account), connection: 'close' },
      disconnected,
      onChange: log.changed,
    });
    playing.request.finished = res.writableFinished;
  }

  return {
    upgrade,
    /** Closes the sockets that are older than 60 minutes, with the provider's frame. */
    closeOldSockets(): void {
      for (const account of routing.accounts)
        for (const socket of account.sockets) closeOldSocket(socket, routing.now());
    },
    close(): void {
      for (const connection of connections) connection.destroy();
    },
  };
}

interface Refusal {
  req: IncomingMessage;
  connection: Socket;
  request: ReceivedRequest;
  script: Parameters<typeof playScript>[0];
  account: SimulatedAccount | undefined;
  disconnected: AbortSignal;
}
