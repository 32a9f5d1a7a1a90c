import { compacted, politeAnswer } from './answers.ts';
import { json } from './http.ts';
import { modelList } from './models.ts';
import type { ReceivedRequest } from './received.ts';
import { createPlaylist, type Playlist, type ResponseScript } from './responseScript.ts';
import type { TokenScript } from './tokenAnswer.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { initialUsage, type UsageScript } from './usage.ts';

export interface AccountOptions {
  /** Becomes `chatgpt-account-id`. Two accounts may share one, as the seats of a workspace do. */
  id?: string;
  email?: string;
  plan?: string;
  userId?: string;
  accessExpiresInSeconds?: number;
  usage?: Partial<UsageScript>;
}

/** What the official CLI keeps in its `auth.json` (docs/clients.md#the-auth-file-that-codex-writes). */
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
  /** Shows in usage at the next poll and in the tokens that are issued next. */
  plan: string;
  usage: UsageScript;
  token: TokenScript;
  readonly tokens: Tokens;
  authFile(): AuthFile;
  /** What every `/codex/responses` answers from now on. */
  always(script: ResponseScript): void;
  /** What the next ones answer, one each, before `always` counts again. */
  next(...scripts: ResponseScript[]): void;
  readonly responses: Playlist;
  readonly compact: Playlist;
  readonly models: Playlist;
  readonly transcribe: Playlist;
  /** Access tokens issued so far answer 401 from now on. */
  expireAccessToken(): void;
  /** A new login of the same account: a fresh family of tokens, which `authFile()` then holds. */
  signIn(): void;
  /** The present family of tokens is void: requests and refreshes alike are refused. */
  revoke(): void;
  /** What named this account's id; seats that share an id share this list. */
  readonly received: ReceivedRequest[];
  /** Requests of this account that are being answered right now. */
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
  };
  const responses = createPlaylist(politeAnswer());
  const account: SimulatedAccount = Object.assign(identity, {
    usage: { ...initialUsage(now), ...options.usage },
    token: 'rotate' as TokenScript,
    tokens: createTokens({ identity, accessExpiresInSeconds: options.accessExpiresInSeconds ?? TEN_DAYS, now }),
    responses,
    always: responses.always,
    next: responses.next,
    compact: createPlaylist(compacted()),
    models: createPlaylist(modelList()),
    transcribe: createPlaylist(json(200, { text: 'Hello from the simulated provider.' }, { name: 'transcript' })),
    authFile: () => authFile(id, account.tokens, now),
    expireAccessToken: () => account.tokens.expireAccess(),
    signIn: () => void account.tokens.signIn(),
    revoke: () => account.tokens.revoke(),
    received: [] as ReceivedRequest[],
    inFlight: 0,
  });
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
