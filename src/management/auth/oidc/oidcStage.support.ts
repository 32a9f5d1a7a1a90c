import { onTestFinished } from 'vitest';
import type { Browser } from '../../../../test/support/browser.ts';
import { addressOf } from '../../../../test/support/browser.ts';
import type { ReceivedResponse } from '../../../../test/support/call.ts';
import { collectFaults } from '../../../../test/support/collectFaults.ts';
import { type Stage, type StageOptions, startManagement } from '../../../../test/support/management.ts';
import {
  type OidcProvider,
  type OidcProviderOptions,
  startOidcProvider,
} from '../../../../test/support/oidc/oidcProvider.ts';
import { type OidcVisitor, oidcVisitor } from '../../../../test/support/oidc/oidcVisitor.ts';
import { instant } from '../../../domain/core/brands.ts';
import { parseRoleRules } from '../../../domain/operator/roleRules.ts';
import { directCalls } from '../../../provider/outgoingProxy/directCalls.support.ts';
import { createIssuer } from './issuer.ts';
import { createIssuerFetch } from './issuerFetch.ts';

export const PUBLIC_URL = 'https://svc.example';
const CALLBACK = `${PUBLIC_URL}/api/dashboard-auth/oidc/callback`;

export interface OidcStageOptions extends Omit<OidcProviderOptions, 'redirectUris'> {
  /** Rules for roles by the claim `groups`. */
  readonly rules?: string;
  readonly stage?: StageOptions;
  /** The clock of svc, in milliseconds ahead of that of the provider. */
  readonly aheadMs?: number;
  readonly timeoutMs?: number;
}

export interface OidcStage {
  readonly stage: Stage;
  readonly provider: OidcProvider;
  readonly faults: ReturnType<typeof collectFaults>;
  /** Lines of the faults. */
  readonly lines: string[];
  /** Configures another provider instead. */
  use(provider: OidcProvider): void;
}

/** Management with a real OpenID provider, and a clock that the test sets. */
export async function startOidcStage(options: OidcStageOptions = {}): Promise<OidcStage> {
  const { rules, aheadMs = 0, timeoutMs } = options;
  const provider = await startOidcProvider({ ...options, redirectUris: [CALLBACK] });
  onTestFinished(() => provider.stop());
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const clock = { now: () => instant(Date.now()) };
  const issuerOf = ({ issuer, client }: OidcProvider) =>
    createIssuer({
      ...{ issuer, clientId: client.id, clientSecret: client.secret, scopes: 'openid email profile groups' },
      roleClaim: rules === undefined ? undefined : 'groups',
      redirectUri: CALLBACK,
      fetch: createIssuerFetch({ agentFor: directCalls, ...(timeoutMs !== undefined && { timeoutMs }) }),
      now: () => clock.now(),
    });
  let configured = issuerOf(provider);
  const stage = await startManagement({
    ...options.stage,
    startAt: instant(Date.now() + aheadMs),
    connection: { remoteAddress: addressOf },
    publicUrl: PUBLIC_URL,
    oidc: {
      name: 'Example',
      issuer: {
        urlFor: (flow, isFresh) => configured.urlFor(flow, isFresh),
        confirm: (response, flow) => configured.confirm(response, flow),
      },
      roleRules: rules === undefined ? [] : parseRoleRules(rules),
      roleClaim: 'groups',
      faults,
    },
  });
  clock.now = () => stage.clock.now;
  const use = (other: OidcProvider) => {
    configured = issuerOf(other);
  };
  return { stage, provider, faults, lines, use };
}

/** Another provider, to which svc may send people. */
export async function anotherProvider(people: OidcProviderOptions['people'] = {}): Promise<OidcProvider> {
  const provider = await startOidcProvider({ redirectUris: [CALLBACK], people });
  onTestFinished(() => provider.stop());
  return provider;
}

const START = '/api/dashboard-auth/oidc/start';

/** A browser with all its cookies, and the session of its person at the provider. */
export interface OidcBrowser extends Pick<Browser, 'call'> {
  readonly cookies: Map<string, string>;
  readonly visitor: OidcVisitor;
  /** @returns the address at the provider */
  start(query?: Record<string, string>): Promise<string>;
  /** Opens an address at svc. @returns where it leads */
  open(url: URL | string): Promise<string>;
  /** The whole sign-in. @returns where it leads */
  signIn(login: string | null, query?: Record<string, string>): Promise<string>;
  /** The state of the session. */
  session(): Promise<ReceivedResponse['body']>;
}

export function oidcBrowser({ call }: Pick<Stage, 'call'>, { address }: { address?: string } = {}): OidcBrowser {
  const cookies = new Map<string, string>();
  const visitor = oidcVisitor();
  const own: OidcBrowser = {
    cookies,
    visitor,
    async call(method, path, { headers, body } = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const from = address === undefined ? {} : { 'x-test-address': address };
      const response = await call(method, path, { body, headers: { ...(cookie && { cookie }), ...from, ...headers } });
      for (const set of response.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (/ Max-Age=0;/.test(set)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
    start: (query = {}) => own.open(`${PUBLIC_URL}${START}?${new URLSearchParams(query)}`),
    async open(url) {
      const { pathname, search } = new URL(url);
      const { status, headers, text } = await own.call('GET', pathname + search);
      if (status !== 302 || headers.location === undefined) throw new Error(`${pathname}: ${status} ${text}`);
      return headers.location;
    },
    async signIn(login, query) {
      const url = await own.start(query);
      return url.startsWith(PUBLIC_URL) ? url : own.open(await visitor.signIn(url, login));
    },
    session: async () => (await own.call('GET', '/api/dashboard-auth/session')).body,
  };
  return own;
}

/** Where a failed sign-in leads. */
export const failed = (code: string, next?: string): string =>
  `${PUBLIC_URL}/sign-in?${new URLSearchParams({ error: code, ...(next !== undefined && { next }) })}`;
