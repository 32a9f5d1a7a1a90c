import type { AccountId } from '../../domain/core/brands.ts';
import { createTokenEndpoint } from '../../provider/client/tokenEndpoint.ts';
import { createModelPoller } from '../../provider/models/modelPoller.ts';
import {
  type AgentFor,
  createOutgoingProxies,
  type OutgoingProxies,
} from '../../provider/outgoingProxy/outgoingProxies.ts';
import { type AccessTokens, createAccessTokens } from '../../provider/tokens/accessTokens.ts';
import { createProactiveRefresh } from '../../provider/tokens/proactiveRefresh.ts';
import { createLearnedUsage, type LearnedUsage } from '../../provider/usage/learnedUsage.ts';
import { createUsagePoller } from '../../provider/usage/usagePoller.ts';
import { createDirectOpener } from '../../proxy/upstream/plain/openSocket.ts';
import { createPlainUpstreamPool } from '../../proxy/upstream/plain/plainUpstreamPool.ts';
import type { UpstreamPool, UpstreamPoolOptions } from '../../proxy/upstream/upstreamPool.ts';
import { type UpstreamRoute, UpstreamRoutes } from '../../proxy/upstream/upstreamRoutes.ts';
import type { Config } from '../config/config.ts';
import type { Foundation } from './foundation.ts';
import { whenTermEnds } from './leaderTasks.ts';
import type { NodeRecords } from './nodeRecords.ts';
import { watchAccounts } from './watchAccounts.ts';
import { watchFailingAccounts } from './watchFailingAccounts.ts';

/** Everything that calls the provider, except for the proxy's requests. */
export interface ProviderServices {
  readonly routeOf: (accountId: AccountId) => UpstreamRoute;
  /** For sign-ins. */
  readonly agentFor: AgentFor;
  /** Whether a model request may need no new connection. */
  readonly hasIdleConnection: () => boolean;
  /** Prefix of the provider's paths. */
  readonly basePath: string;
  readonly tokens: AccessTokens;
  readonly learnedUsage: LearnedUsage;
  /** Resolves when no poll for models is in progress, or after `timeoutMs`. */
  readonly waitForModels: (timeoutMs: number) => Promise<void>;
  /** Polls usage and models of a newly imported account. */
  readonly pollNewAccount: (accountId: AccountId) => void;
  /** Starts polling and proactive token refreshes. */
  start(): void;
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 30_000;
/** As long as providers let resolvers cache their addresses. Then a connection costs a resumed TLS handshake. */
const MAX_CONNECTION_AGE_MS = 300_000;

type CreateUpstreamPool = (options: UpstreamPoolOptions) => UpstreamPool;

async function upstreamPoolFactory(config: Config): Promise<CreateUpstreamPool> {
  if (config.SVC_PLAIN_HTTP) return createPlainUpstreamPool;
  // Imported on demand: undici adds 140 ms and 30 MB to a start.
  const { createUndiciUpstreamPool } = await import('../../proxy/upstream/undici/undiciUpstreamPool.ts');
  return createUndiciUpstreamPool;
}

/** Creates the choice of proxies, and says which ones the environment sets. */
function createProxies(base: URL, { config, hot, store, faults, print }: Foundation): OutgoingProxies {
  const issuer = config.SVC_OIDC_ISSUER;
  const destinations = [base, new URL(config.SVC_AUTH_BASE_URL), ...(issuer === undefined ? [] : [new URL(issuer)])];
  const connectTimeoutMs = CONNECT_TIMEOUT_MS;
  const options = { settings: config, destinations, hot, vault: store.vault, faults, connectTimeoutMs };
  const proxies = createOutgoingProxies(options);
  for (const destination of destinations) {
    const proxy = proxies.proxyFor(destination, null);
    if (proxy) print(`Calls to ${destination.host} leave through the proxy ${proxy.name}`);
  }
  return proxies;
}

function createRoutes(base: URL, proxies: OutgoingProxies, createPool: CreateUpstreamPool): UpstreamRoutes {
  const routes = new UpstreamRoutes({
    proxyOf: (accountId) => proxies.proxyFor(base, accountId),
    createPool: (proxy) =>
      createPool({
        origin: base,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        idleMs: IDLE_CONNECTION_MS,
        maxAgeMs: MAX_CONNECTION_AGE_MS,
        openConnection: proxy && proxies.connectionsTo(base, proxy),
      }),
    createOpener: (proxy) =>
      proxy
        ? proxies.connectionsTo(base, proxy)
        : createDirectOpener({ origin: base, connectTimeoutMs: CONNECT_TIMEOUT_MS }),
  });
  proxies.onRetired((inUse) => routes.keepOnly(inUse));
  return routes;
}

/** Creates the clients of the provider. Polling and proactive refreshes begin with `start`. */
export async function createProviderServices(
  foundation: Foundation,
  { recordResult }: NodeRecords,
): Promise<ProviderServices> {
  const { config, store, hot, handle, now, newId, report, faults, descriptors, leaderTasks } = foundation;
  const base = new URL(config.SVC_UPSTREAM_BASE_URL);
  const proxies = createProxies(base, foundation);
  const { agentFor } = proxies;
  const routes = createRoutes(base, proxies, await upstreamPoolFactory(config));
  descriptors.count({ open: () => routes.connections, idle: () => routes.idle });
  const tokens = createAccessTokens({
    hot,
    handle,
    vault: store.vault,
    now,
    newId,
    tokenEndpoint: createTokenEndpoint({ authBaseUrl: config.SVC_AUTH_BASE_URL, agentFor }),
    report,
    faults,
    ...(recordResult && { recordResult }),
  });
  const upstreamBaseUrl = config.SVC_UPSTREAM_BASE_URL;
  const polling = { hot, handle, tokens, agentFor, now, newId, faults, upstreamBaseUrl };
  const usage = createUsagePoller({ ...polling, everyMs: config.SVC_USAGE_REFRESH_SECONDS * 1_000 });
  const models = createModelPoller({ ...polling, clientVersion: config.SVC_CLIENT_VERSION });
  const proactiveRefresh = createProactiveRefresh({ hot, tokens, now });
  const learnedUsage = createLearnedUsage({ hot, handle, now, newId, faults });
  watchAccounts({ hot, faults });
  watchFailingAccounts({ hot, faults, now });
  let stopPolling = async (): Promise<void> => undefined;

  return {
    routeOf: (accountId) => routes.routeOf(accountId),
    hasIdleConnection: () => routes.hasIdle,
    agentFor,
    basePath: base.pathname.replace(/\/$/, ''),
    tokens,
    learnedUsage,
    waitForModels: models.whenIdle,
    pollNewAccount(accountId) {
      void usage.pollNow(accountId).catch(report);
      models.pollNow(accountId);
    },
    start() {
      // The leader polls the provider for all nodes.
      const task = leaderTasks.start('polling', async (term) => {
        usage.start();
        models.start();
        await whenTermEnds(term);
        await Promise.all([usage.stop(), models.stop()]);
      });
      stopPolling = task.stop;
      proactiveRefresh.start();
    },
    async stop() {
      await proactiveRefresh.stop();
      await learnedUsage.stop();
      await stopPolling();
      await usage.stop();
      await models.stop();
      await tokens.stop();
      proxies.stop();
      routes.destroy();
    },
  };
}
