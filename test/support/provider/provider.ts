import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccountOptions, createAccount, type SimulatedAccount } from './account.ts';
import { type AuthorizationServer, createAuthorizationServer } from './authorizationServer.ts';
import { playScript, untilDisconnected } from './playScript.ts';
import { receive } from './receive.ts';
import { createRequestLog, type ReceivedRequest } from './received.ts';
import { type Routed, route } from './route.ts';
import { contextOf } from './scriptContext.ts';
import { type Keepalive, REAL_KEEPALIVE } from './sockets/socketRules.ts';
import { createSocketServer } from './sockets/upgrade.ts';
import { rateLimitHeaders } from './usage.ts';

export interface ProviderOptions {
  /** Default: 0, a free one. */
  port?: number;
  /** Accepts any token. Requests without an account id belong to the first account. */
  acceptsAnyToken?: boolean;
  /** Rejects the bodies that the real provider rejects (default: true). */
  strict?: boolean;
  /** Maximum length of `received` (default: unlimited). */
  maxReceived?: number;
  now?: () => number;
  /** Accepts permessage-deflate on WebSockets when the client offers it (default: false). */
  deflate?: boolean;
  /** Pings on WebSockets (default: those of the real provider). */
  keepalive?: Keepalive;
}

export interface Provider {
  /** http://127.0.0.1:NNNN */
  url: string;
  /** For SVC_UPSTREAM_BASE_URL */
  baseUrl: string;
  /** For SVC_AUTH_BASE_URL */
  authUrl: string;
  /** Sign-in: its script, and the actions of a user with a device code. */
  authorization: AuthorizationServer;
  addAccount(options?: AccountOptions): SimulatedAccount;
  accounts: readonly SimulatedAccount[];
  received: readonly ReceivedRequest[];
  /** Bytes of request bodies received so far, those of incomplete requests included. */
  readonly arrivedBytes: number;
  /** Empties `received`; accounts remain. */
  clearReceived(): void;
  /** Resolves when the condition holds. It is checked whenever a request arrives, progresses or ends. */
  until(condition: () => boolean): Promise<void>;
  /** Ends the WebSockets that are older than 60 minutes by the injected clock, also idle ones. */
  closeOldSockets(): void;
  /** Also destroys open sockets. */
  close(): Promise<void>;
}

/** Starts the simulated provider: an HTTP server whose responses are scripted for each account, and that records requests. */
export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const {
    port = 0,
    acceptsAnyToken = false,
    strict = true,
    maxReceived = Number.POSITIVE_INFINITY,
    now = Date.now,
    deflate = false,
    keepalive = REAL_KEEPALIVE,
  } = options;
  const log = createRequestLog(maxReceived);
  const accounts: SimulatedAccount[] = [];
  const authorization = createAuthorizationServer({ now });
  const routing = { accounts, acceptsAnyToken, strict, now, authorization, authUrl: '' };
  let closing = false;
  let arrivedBytes = 0;

  const addAccount = (accountOptions: AccountOptions = {}): SimulatedAccount => {
    const account = createAccount(accountOptions, { number: accounts.length + 1, now, received: log.received });
    accounts.push(account);
    return account;
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const connection = new AbortController();
    const disconnected = connection.signal;
    res.once('close', () => connection.abort());
    const request = await receive(req, now, (bytes) => {
      arrivedBytes += bytes;
      log.changed();
    });
    const { script, account } = request.aborted ? CLIENT_LEFT : route(request, routing);
    request.account = account?.id;
    request.script = script.name;
    if (account) account.inFlight += 1;
    log.add(request);

    let failure: unknown;
    try {
      const context = contextOf(request, account, now());
      await playScript(script, {
        context,
        request,
        res,
        headers: headersFor(request, account),
        disconnected,
        onChange: log.changed,
      });
    } catch (error) {
      if (!disconnected.aborted && !res.destroyed) failure = error;
      res.destroy();
    }
    await untilDisconnected(disconnected);
    request.ended = true;
    request.finished = res.writableFinished;
    request.aborted = !request.finished && !request.wasReset && !closing && !failure;
    if (account) account.inFlight -= 1;
    log.changed();
    if (failure) throw failure;
  }

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, serve);
  const sockets = createSocketServer({ log, routing, deflate, keepalive, headersFor: responseHeaders });
  server.on('upgrade', sockets.upgrade);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  routing.authUrl = url;
  if (acceptsAnyToken) addAccount();

  return {
    url,
    baseUrl: `${url}/backend-api`,
    authUrl: url,
    authorization,
    addAccount,
    accounts,
    received: log.received,
    get arrivedBytes() {
      return arrivedBytes;
    },
    until: log.until,
    clearReceived() {
      log.received.length = 0;
      arrivedBytes = 0;
    },
    closeOldSockets: sockets.closeOldSockets,
    async close() {
      closing = true;
      const closed = once(server, 'close');
      sockets.close();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function headersFor({ path }: ReceivedRequest, account: SimulatedAccount | undefined): Record<string, string> {
  return path.startsWith('/backend-api/codex/responses') ? responseHeaders(account) : { 'x-request-id': randomUUID() };
}

const responseHeaders = (account: SimulatedAccount | undefined): Record<string, string> => ({
  'x-request-id': randomUUID(),
  ...(account && rateLimitHeaders(account.usage)),
});

/** The client has disconnected, so no script is taken from a queue. */
const CLIENT_LEFT: Routed = { account: undefined, script: { name: 'client disconnected', steps: [] } };
