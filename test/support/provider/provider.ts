import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccountOptions, createAccount, type SimulatedAccount } from './account.ts';
import { type AuthorizationServer, createAuthorizationServer } from './authorizationServer.ts';
import { passing, play } from './play.ts';
import { receive } from './receive.ts';
import { createRegister, type ReceivedRequest } from './received.ts';
import type { Asked } from './responseScript.ts';
import { type Routed, route } from './route.ts';
import { rateLimitHeaders } from './usage.ts';

export interface ProviderOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Any token will do; a request that names no account is the first account's. */
  openDoor?: boolean;
  /** Refuse the bodies that the real provider refuses (default true). */
  strict?: boolean;
  /** How many requests `received` keeps (default: all). */
  remember?: number;
  now?: () => number;
}

export interface Provider {
  /** http://127.0.0.1:NNNN */
  url: string;
  /** For SVC_UPSTREAM_BASE_URL */
  baseUrl: string;
  /** For SVC_AUTH_BASE_URL */
  authUrl: string;
  /** Signing in: its script, and what operators do with device codes. */
  authorization: AuthorizationServer;
  addAccount(options?: AccountOptions): SimulatedAccount;
  accounts: readonly SimulatedAccount[];
  received: readonly ReceivedRequest[];
  /** Bytes of bodies that have come so far, also of requests that are not complete yet. */
  readonly arrivedBytes: number;
  /** Forgets what it has received so far, not its accounts. */
  forget(): void;
  /** Resolves once the condition holds, looked at whenever a request arrives, moves on or ends: no sleeping in tests. */
  until(condition: () => boolean): Promise<void>;
  /** Also destroys the sockets that are open. */
  close(): Promise<void>;
}

/** The upstream that our gateway is tested against: real HTTP, scripted per account, nothing forgotten. */
export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const { port = 0, openDoor = false, strict = true, remember = Number.POSITIVE_INFINITY, now = Date.now } = options;
  const register = createRegister(remember);
  const accounts: SimulatedAccount[] = [];
  const authorization = createAuthorizationServer({ now });
  const routing = { accounts, openDoor, strict, now, authorization, authUrl: '' };
  let closing = false;
  let arrivedBytes = 0;

  const addAccount = (wanted: AccountOptions = {}): SimulatedAccount => {
    const account = createAccount(wanted, { number: accounts.length + 1, now, received: register.received });
    accounts.push(account);
    return account;
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const line = new AbortController();
    const gone = line.signal;
    res.once('close', () => line.abort());
    const request = await receive(req, now, (bytes) => {
      arrivedBytes += bytes;
      register.changed();
    });
    const { script, account } = request.aborted ? LEFT_EARLY : route(request, routing);
    request.account = account?.id;
    request.answeredBy = script.name;
    if (account) account.inFlight += 1;
    register.add(request);

    let failure: unknown;
    try {
      const asked = askedBy(request, account, now());
      await play(script, {
        asked,
        request,
        res,
        headers: headersFor(request, account),
        gone,
        changed: register.changed,
      });
    } catch (error) {
      if (!gone.aborted && !res.destroyed) failure = error;
      res.destroy();
    }
    await passing(gone);
    request.ended = true;
    request.finished = res.writableFinished;
    request.aborted = !request.finished && !request.cut && !closing && !failure;
    if (account) account.inFlight -= 1;
    register.changed();
    if (failure) throw failure;
  }

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  routing.authUrl = url;
  if (openDoor) addAccount();

  return {
    url,
    baseUrl: `${url}/backend-api`,
    authUrl: url,
    authorization,
    addAccount,
    accounts,
    received: register.received,
    get arrivedBytes() {
      return arrivedBytes;
    },
    until: register.until,
    forget() {
      register.received.length = 0;
      arrivedBytes = 0;
    },
    async close() {
      closing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function headersFor({ path }: ReceivedRequest, account: SimulatedAccount | undefined): Record<string, string> {
  const limits = account && path.startsWith('/backend-api/codex/responses') ? rateLimitHeaders(account.usage) : {};
  return { 'x-request-id': randomUUID(), ...limits };
}

/** Nobody waits for an answer, so none is taken from a queue. */
const LEFT_EARLY: Routed = { account: undefined, script: { name: 'left early', steps: [] } };

const NOBODY = { id: 'nobody', email: '', plan: 'unknown' };

const askedBy = (request: ReceivedRequest, account: SimulatedAccount | undefined, now: number): Asked => ({
  id: `resp_${randomUUID().replaceAll('-', '')}`,
  json: (request.json ?? {}) as Record<string, unknown>,
  bytes: request.plain?.length ?? 0,
  account: account ?? NOBODY,
  now,
});
