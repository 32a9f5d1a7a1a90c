import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import type { AccountId, ApiKeyId, Instant } from '../domain/brands.ts';
import type { CoolingAccounts } from '../domain/routing/availability.ts';
import { isCallerGone } from '../http/callerGone.ts';
import type { Surface } from '../http/endpoint.ts';
import type { EventLog } from '../log/eventLog.ts';
import type { HandleCommand } from '../projecting/commandHandler.ts';
import type { HotRunner } from '../projecting/hotRunner.ts';
import { createPast, type Past } from '../projecting/past.ts';
import type { HistoryQueries } from '../readModels/historyQueries.ts';
import type { ProgressQueries } from '../readModels/progressQueries.ts';
import type { RequestLogQueries } from '../readModels/requestLogQueries.ts';
import type { RequestTotalsQueries } from '../readModels/requestTotalsQueries.ts';
import type { UsageTrendsQueries } from '../readModels/usageTrendsQueries.ts';
import type { Vault } from '../vault/vault.ts';
import { identify, signedIn } from './access.ts';
import { accountRoutes } from './accounts.ts';
import { accountTrendsRoutes } from './accountTrends.ts';
import { answers } from './answers.ts';
import { apiKeyRoutes } from './apiKeys.ts';
import type { ManagementState } from './context.ts';
import { dashboardAuthRoutes } from './dashboardAuth/dashboardAuth.ts';
import type { Passwords } from './dashboardAuth/passwords.ts';
import { createSessionCookie } from './dashboardAuth/sessionCookie.ts';
import type { SetupToken } from './dashboardAuth/setupToken.ts';
import type { SignIns } from './dashboardAuth/signIns.ts';
import { dashboardDataRoutes } from './dashboardData.ts';
import { endpointsOf } from './documented.ts';
import { firewallRoutes } from './firewall.ts';
import { healthRoutes } from './health.ts';
import { historyRoutes } from './history.ts';
import { idempotentWrites } from './idempotentWrites.ts';
import { importRoutes } from './importAccount.ts';
import { createTurns, handlingInTurn, type Turns } from './inTurn.ts';
import { liveRoutes } from './live/live.ts';
import { LiveFeed } from './live/liveFeed.ts';
import { nothingHere } from './nothingHere.ts';
import type { AccountLinks } from './oauth/accountLinks.ts';
import { oauthRoutes } from './oauth/oauth.ts';
import { openApiRoutes } from './openApi.ts';
import { requestLogRoutes } from './requestLogs.ts';
import { requestTrendsRoutes } from './requestTrends.ts';
import { sameOriginWrites } from './sameOrigin.ts';
import { sessionRoutes } from './sessions.ts';
import { settingsRoutes } from './settings.ts';
import { type NodeStatus, statusRoutes } from './status.ts';
import { usageRoutes } from './usage.ts';
import { usageTrendsRoutes } from './usageTrends.ts';

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
  /** Told of everything that nobody expected; the caller gets `internal_error`. */
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
  readonly inTurn?: Turns;
  /** The address at the other end of the socket; replaced in tests. */
  readonly remoteAddress?: (request: IncomingMessage) => string | undefined;
  /** Who sent a request, where a trusted proxy says so. */
  readonly clientAddress?: (request: IncomingMessage) => string | undefined;
  /** Whether the caller speaks https, to us or to a trusted proxy. */
  readonly isHttps?: (request: IncomingMessage) => boolean;
}

/** What the routes work with: commands of one subject come one after the other, so that neighbours do not conflict. */
export interface Management extends ManagementOptions {
  readonly inTurn: Turns;
  readonly past: Past;
}

/** `/api/*` and `/health`. Everything else that reaches it gets a JSON 404. */
export function createManagement(options: ManagementOptions): Koa<ManagementState> {
  const { inTurn = createTurns() } = options;
  const handle = handlingInTurn(options.handle, inTurn);
  const management: Management = { ...options, handle, inTurn, past: createPast(options) };
  const { vault, now, isHttps = () => false } = options;
  const cookie = createSessionCookie({ vault, now, isHttps });

  const app = new Koa<ManagementState>();
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!isCallerGone(error)) options.report(error);
  });
  app
    .use(answers(options))
    .use(healthRoutes())
    .use(identify({ ...options, cookie }))
    .use(sameOriginWrites())
    .use(dashboardAuthRoutes({ ...management, cookie }))
    .use(signedIn(options))
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
    .use(nothingHere());
  return app;
}
