import type { AccountId } from '../../domain/core/brands.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import { createAccountProxies } from './accountProxies.ts';
import type { OutgoingProxy } from './outgoingProxy.ts';
import { createProxiedConnection, type OpenProxiedConnection } from './proxiedConnection.ts';
import { createProxyAgents, type ProxyAgents } from './proxyAgents.ts';
import { ProxyHealth, type ProxyHealthOptions } from './proxyHealth.ts';
import { createProxyChoice, type ProxySettings } from './proxySettings.ts';

/**
 * The option of a call by `got` that leads it through its proxy; empty for a direct call.
 * @param accountId null for a call that belongs to no account yet
 */
export type AgentFor = (url: string, accountId: AccountId | null) => { readonly agent?: ProxyAgents };

/** Decides which proxy each call to the provider takes, and opens the connections. */
export interface OutgoingProxies {
  /**
   * The account's own proxy, else the one of the environment.
   * @param accountId null for a call that belongs to no account yet
   * @returns undefined: the call leaves directly. The same object as long as it is the same address.
   */
  proxyFor(destination: URL, accountId: AccountId | null): OutgoingProxy | undefined;
  /** @returns the opener of connections to an origin, whose failures show in the status */
  connectionsTo(origin: URL, proxy: OutgoingProxy): OpenProxiedConnection;
  readonly agentFor: AgentFor;
  /** @param listener called with the proxies still in use when some are not any more */
  onRetired(listener: (inUse: ReadonlySet<OutgoingProxy>) => void): void;
  stop(): void;
}

export interface OutgoingProxiesOptions {
  readonly settings: ProxySettings;
  /** Called destinations, which the environment may have a proxy for. For these same objects `proxyFor` is cheap. */
  readonly destinations: readonly URL[];
  readonly hot: HotRunner;
  readonly vault: Pick<Vault, 'open'>;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** For one connection, both TLS handshakes included. */
  readonly connectTimeoutMs?: number;
  readonly health?: Omit<ProxyHealthOptions, 'faults'>;
}

const CONNECT_TIMEOUT_MS = 5_000;

export function createOutgoingProxies({
  settings,
  destinations,
  hot,
  vault,
  faults,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  health: healthOptions = {},
}: OutgoingProxiesOptions): OutgoingProxies {
  const choice = createProxyChoice(settings);
  // Model requests ask for each attempt. Null: directly.
  const chosen = new Map(destinations.map((destination) => [destination, choice(destination) ?? null]));
  const choose = (destination: URL) => {
    const known = chosen.get(destination);
    return known === undefined ? choice(destination) : (known ?? undefined);
  };
  const accounts = createAccountProxies({ hot, vault });
  const health = new ProxyHealth({ faults, ...healthOptions });
  const agents = new WeakMap<OutgoingProxy, Map<string, ProxyAgents>>();
  const listeners: ((inUse: ReadonlySet<OutgoingProxy>) => void)[] = [];

  hot.onFolded(({ type }) => {
    if (type !== 'AccountProxyChanged' && type !== 'AccountTokensReplaced' && type !== 'AccountDeleted') return;
    const inUse = new Set(accounts.all());
    for (const destination of destinations) {
      const proxy = choose(destination);
      if (proxy) inUse.add(proxy);
    }
    health.keepOnly(new Set([...inUse].map(({ name }) => name)));
    for (const listener of listeners) listener(inUse);
  });

  const proxyFor = (destination: URL, accountId: AccountId | null) =>
    (accountId === null ? undefined : accounts.of(accountId)) ?? choose(destination);

  const connectionsTo = (origin: URL, proxy: OutgoingProxy) =>
    health.watch(proxy, createProxiedConnection({ origin, proxy, timeoutMs: connectTimeoutMs }));

  return {
    proxyFor,
    connectionsTo,
    agentFor(url, accountId) {
      const destination = new URL(url);
      const proxy = proxyFor(destination, accountId);
      if (!proxy) return {};
      const byOrigin = agents.get(proxy) ?? new Map<string, ProxyAgents>();
      agents.set(proxy, byOrigin);
      const agent = byOrigin.get(destination.origin) ?? createProxyAgents(connectionsTo(destination, proxy));
      byOrigin.set(destination.origin, agent);
      return { agent };
    },
    onRetired: (listener) => void listeners.push(listener),
    stop: () => health.stop(),
  };
}
