import { json } from './http.ts';
import { modelList } from './models.ts';
import type { ReceivedRequest } from './received.ts';
import { createScriptQueue, type ResponseScript, type ScriptContext, type ScriptQueue } from './responseScript.ts';
import { compacted, defaultResponse, prewarmed } from './responses.ts';
import type { SimulatedSocket } from './sockets/socketRules.ts';
import { acceptUpgrade, limitsAndTurnState, type SocketEvents } from './sockets/socketScripts.ts';
import type { TokenScript } from './tokenResponse.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { initialUsage, type UsageScript } from './usage.ts';

export interface AccountOptions {
  /** The `chatgpt-account-id`. The seats of a workspace share one. */
  id?: string;
  email?: string;
  plan?: string;
  /** The region that the workspace is bound to. */
  residency?: string;
  userId?: string;
  accessExpiresInSeconds?: number;
  usage?: Partial<UsageScript>;
}

/** Codex's `auth.json` (docs/clients.md#the-auth-file-that-codex-writes). */
export interface AuthFile {
  auth_mode: 'chatgpt';
  OPENAI_API_KEY: null;
  tokens: {
    id_token: string;
    access_token: string;
    refresh_token: string;
    oauth_provenance: { issuer: string; client_id: string };
    login_owner_id: string;
    account_id: string;
  };
  last_refresh: string;
}

export interface SimulatedAccount {
  readonly id: string;
  readonly email: string;
  readonly userId: string;
  /** A change shows in the next usage poll and in newly issued tokens. */
  plan: string;
  /** A change shows in newly issued tokens. */
  residency: string | undefined;
  usage: UsageScript;
  token: TokenScript;
  readonly tokens: Tokens;
  authFile(): AuthFile;
  /** Sets the default script of `/codex/responses`, over HTTP and on sockets. */
  always(script: ResponseScript): void;
  /** Queues scripts for the next requests, one each. */
  next(...scripts: ResponseScript[]): void;
  readonly responses: ScriptQueue;
  /** Creates with `generate: false`. */
  readonly prewarms: ScriptQueue;
  /** WebSocket upgrades: `acceptUpgrade()`, or any response that refuses one. */
  readonly upgrades: ScriptQueue;
  /** Events before those of a script, on sockets. */
  socketEvents: SocketEvents;
  /** Open WebSockets. */
  readonly sockets: SimulatedSocket[];
  readonly compact: ScriptQueue;
  readonly models: ScriptQueue;
  readonly transcribe: ScriptQueue;
  /** Requests with the access tokens issued so far get 401 from now on. */
  expireAccessToken(): void;
  /** Signs in to the same account again: `authFile()` then contains a new family of tokens. */
  signIn(): void;
  /** Revokes the current family of tokens: requests and refreshes are refused. */
  revoke(): void;
  /** The requests with this account's id; seats that share an id share this list. */
  readonly received: ReceivedRequest[];
  /** Requests of this account in progress. */
  inFlight: number;
}

const TEN_DAYS = 10 * 24 * 3600;

export interface AccountContext {
  number: number;
  now: () => number;
  received: readonly ReceivedRequest[];
}

export function createAccount(options: AccountOptions, { number, now, received }: AccountContext): SimulatedAccount {
  const id = options.id ?? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const identity = {
    id,
    email: options.email ?? `account-${number}@example.com`,
    userId: options.userId ?? `user-simulated-${number}`,
    plan: options.plan ?? 'plus',
    residency: options.residency,
  };
  const responses = createScriptQueue(defaultResponse());
  const account: SimulatedAccount = Object.assign(identity, {
    usage: { ...initialUsage(now), ...options.usage },
    token: 'rotate' as TokenScript,
    tokens: createTokens({ identity, accessExpiresInSeconds: options.accessExpiresInSeconds ?? TEN_DAYS, now }),
    responses,
    always: responses.always,
    next: responses.next,
    prewarms: createScriptQueue(prewarmed()),
    upgrades: createScriptQueue(acceptUpgrade()),
    socketEvents: (context: ScriptContext) => limitsAndTurnState(context, account.usage),
    sockets: [] as SimulatedSocket[],
    compact: createScriptQueue(compacted()),
    models: createScriptQueue(modelList()),
    transcribe: createScriptQueue(json(200, { text: 'Hello from the simulated provider.' }, { name: 'transcript' })),
    authFile: () => authFile(id, account.tokens, now),
    expireAccessToken: () => account.tokens.expireAccess(),
    signIn: () => void account.tokens.signIn(),
    revoke: () => account.tokens.revoke(),
    received: [] as ReceivedRequest[],
    inFlight: 0,
  });
  Object.defineProperty(account, 'sockets', { enumerable: false });
  return Object.defineProperty(account, 'received', {
    enumerable: false,
    get: () => received.filter((request) => request.account === id),
  });
}

function authFile(id: string, tokens: Tokens, now: () => number): AuthFile {
  const { idToken, accessToken, refreshToken } = tokens.current();
  return {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: {
      id_token: idToken,
      access_token: accessToken,
      refresh_token: refreshToken,
      oauth_provenance: { issuer: 'https://auth.openai.com', client_id: 'app_EMoamEEZ73f0CkXaXp7hrann' },
      login_owner_id: Buffer.alloc(32, 7).toString('base64url'),
      account_id: id,
    },
    last_refresh: new Date(now()).toISOString(),
  };
}
