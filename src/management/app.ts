import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import type { AccountId, ApiKeyId, Instant } from '../domain/core/brands.ts';
import type { CoolingAccounts } from '../domain/routing/availability.ts';
import type { EventLog } from '../eventLog/eventLog.ts';
import { isClientDisconnect } from '../http/client/clientDisconnected.ts';
import type { Surface } from '../http/openApi/endpoint.ts';
import { createKeyedMutex, type KeyedMutex } from '../lib/keyedMutex.ts';
import type { HistoryQueries } from '../readModels/historyQueries.ts';
import type { ProgressQueries } from '../readModels/progressQueries.ts';
import type { RequestLogQueries } from '../readModels/requestLogQueries.ts';
import type { RequestTotalsQueries } from '../readModels/requestTotalsQueries.ts';
import type { UsageTrendsQueries } from '../readModels/usageTrendsQueries.ts';
import type { HandleCommand } from '../state/commands/commandHandler.ts';
import type { HotRunner } from '../state/hotRunner.ts';
import { createPast, type Past } from '../state/past/past.ts';
import type { Vault } from '../vault/vault.ts';
import { identify, requireSession } from './auth/access.ts';
import { dashboardAuthRoutes } from './auth/dashboardAuth.ts';
import type { Passwords } from './auth/passwords.ts';
import { createSessionCookie } from './auth/sessionCookie.ts';
import type { SetupToken } from './auth/setupToken.ts';
import type { SignIns } from './auth/signInRecorder.ts';
import { serializeCommands } from './http/commands.ts';
import type { ManagementState } from './http/context.ts';
import { endpointsOf } from './http/describeRoute.ts';
import { idempotentWrites } from './http/idempotentWrites.ts';
import { notFound } from './http/notFound.ts';
import { respond } from './http/respond.ts';
import { sameOriginWrites } from './http/sameOrigin.ts';
import type { AccountLinks } from './oauth/accountLinks.ts';
import { oauthRoutes } from './oauth/oauth.ts';
import { importRoutes } from './resources/accountImport.ts';
import { accountRoutes } from './resources/accounts.ts';
import { accountTrendsRoutes } from './resources/accountTrends.ts';
import { apiKeyRoutes } from './resources/apiKeys.ts';
import { firewallRoutes } from './resources/firewall.ts';
import { healthRoutes } from './resources/health.ts';
import { historyRoutes } from './resources/history.ts';
import { LiveFeed } from './resources/live/liveFeed.ts';
import { liveRoutes } from './resources/live.ts';
import { openApiRoutes } from './resources/openApi.ts';
import { dashboardDataRoutes } from './resources/overview.ts';
import { requestLogRoutes } from './resources/requestLogs.ts';
import { requestTrendsRoutes } from './resources/requestTrends.ts';
import { sessionRoutes } from './resources/sessions.ts';
import { settingsRoutes } from './resources/settings.ts';
import { type NodeStatus, statusRoutes } from './resources/status.ts';
import { usageRoutes } from './resources/usage.ts';
import { usageTrendsRoutes } from './resources/usageTrends.ts';

export interface ManagementOptions {
  readonly log: EventLog;
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly vault: Vault;
  readonly requestLog: RequestLogQueries;
  readonly history: HistoryQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  /** How often accounts are asked for their usage. */
  readonly usageRefreshSeconds: number;
  readonly progress: ProgressQueries;
  readonly nodeStatus: () => NodeStatus;
  /** Models that the price table names. */
  readonly pricedModels: readonly string[];
  readonly now: () => Instant;
  /** A new UUID: ids of API keys and of management requests. */
  readonly newId: () => string;
  /** 24 random bytes: the secret part of an API key. */
  readonly newKeyBytes: () => Uint8Array;
  /** Told of everything that nobody expected; the client gets `internal_error`. */
  readonly report: (error: unknown) => void;
  /** What this node knows of accounts beyond the log. */
  readonly overlay?: { cooling(): CoolingAccounts };
  /** Told after an account came in or got new tokens, e.g. to ask for its usage at once. */
  readonly onAccountImported?: (accountId: AccountId) => void;
  /** What open requests hold of the window of a rule that holds `at`, in the unit of its counter. */
  readonly reservedOn?: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
  /** Tells pages what changes; whoever stops the service stops it. */
  readonly live?: LiveFeed;
  /** What the OpenAPI document shows beside management. */
  readonly otherSurfaces?: readonly Surface[];
  /** Writes down who signs in and out. */
  readonly signIns: SignIns;
  /** What the first password takes from another machine; without it, none can be set from there. */
  readonly setupToken?: SetupToken;
  readonly passwords?: Passwords;
  /** Sign-ins at the provider. */
  readonly links: AccountLinks;
  /** Shared with whatever else writes to the same subjects, or touches the same keys. */
  readonly inTurn?: KeyedMutex;
  /** The address at the other end of the socket; replaced in tests. */
  readonly remoteAddress?: (request: IncomingMessage) => string | undefined;
  /** Who sent a request, where a trusted proxy says so. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined;
  /** Whether the client speaks https, to us or to a trusted proxy. */
  readonly isHttps?: (request: IncomingMessage) => boolean;
}

/** What the routes work with: commands of one subject come one after the other, so that neighbours do not conflict. */
export interface Management extends ManagementOptions {
  readonly inTurn: KeyedMutex;
  readonly past: Past;
}

/** `/api/*` and `/health`. Everything else that reaches it gets a JSON 404. */
export function createManagement(options: ManagementOptions): Koa<ManagementState> {
  const { inTurn = createKeyedMutex() } = options;
  const handle = serializeCommands(options.handle, inTurn);
  const management: Management = { ...options, handle, inTurn, past: createPast(options) };
  const { vault, now, isHttps = () => false } = options;
  const cookie = createSessionCookie({ vault, now, isHttps });

  const app = new Koa<ManagementState>();
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClientDisconnect(error)) options.report(error);
  });
  app
    .use(respond(options))
    .use(healthRoutes())
    .use(identify({ ...options, cookie }))
    .use(sameOriginWrites())
    .use(dashboardAuthRoutes({ ...management, cookie }))
    .use(requireSession(options))
    .use(idempotentWrites(options))
    .use(importRoutes(management))
    .use(accountRoutes(management))
    .use(oauthRoutes(management))
    .use(apiKeyRoutes(management))
    .use(settingsRoutes(management))
    .use(firewallRoutes(management))
    .use(sessionRoutes(management))
    .use(statusRoutes(management))
    .use(requestLogRoutes(management))
    .use(accountTrendsRoutes(management))
    .use(usageTrendsRoutes(management))
    .use(usageRoutes(management))
    .use(dashboardDataRoutes(management))
    .use(requestTrendsRoutes(management))
    .use(historyRoutes(management))
    .use(liveRoutes(management, options.live ?? new LiveFeed(options)))
    .use(openApiRoutes(() => endpointsOf(app).endpoints, options.otherSurfaces ?? []))
    .use(notFound());
  return app;
}
