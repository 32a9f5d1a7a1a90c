import Koa from 'koa';
import type { PostNotification } from '../alerts/postNotification.ts';
import type { Archiving } from '../archive/archiving.ts';
import type { AccountId } from '../domain/core/brands.ts';
import type { EvidenceShelf } from '../evidence/shelf/evidenceShelf.ts';
import { isClientDisconnect } from '../http/client/clientRequest.ts';
import type { Surface } from '../http/openApi/endpoint.ts';
import type { HttpResponses } from '../lib/metrics/httpResponses.ts';
import type { BlameEvents } from '../replay/blame/blameEvents.ts';
import type { ReplayShelf } from '../replay/service/replayShelf.ts';
import type { VerifyOwnLog } from '../verification/verifyOwnLog.ts';
import type { RetainedKeys } from './accounts/retainedKeys.ts';
import { type ConnectionInfo, identifyClient, requireSession } from './auth/access.ts';
import { dashboardAuthRoutes } from './auth/dashboardAuth.ts';
import { type OidcServices, oidcAuthRoutes } from './auth/oidc/oidcAuth.ts';
import { operatorAuthRoutes } from './auth/operatorAuth.ts';
import { passkeyRoutes } from './auth/passkeyAuth.ts';
import { createSignIn, type DashboardAuthServices } from './auth/signIn.ts';
import type { Capabilities } from './http/capabilities.ts';
import type { ManagementState } from './http/context.ts';
import { countResponses } from './http/countResponses.ts';
import { endpointsOf } from './http/describeRoute.ts';
import { idempotentWrites } from './http/idempotentWrites.ts';
import type { Integrity } from './http/integrity.ts';
import type { Jobs } from './http/jobs.ts';
import { notFound } from './http/notFound.ts';
import { refuseWrites } from './http/refuseWrites.ts';
import { type ReportError, respond } from './http/respond.ts';
import { sameOriginWrites } from './http/sameOrigin.ts';
import { waitForSinks } from './http/waitForSinks.ts';
import type { AccountLinks } from './oauth/accountLinks.ts';
import { oauthRoutes } from './oauth/oauth.ts';
import { accountImportRoutes } from './resources/accountImport.ts';
import { accountRoutes } from './resources/accounts.ts';
import { accountTrendsRoutes } from './resources/accountTrends.ts';
import { alertRoutes } from './resources/alerts.ts';
import { apiKeyRoutes } from './resources/apiKeys.ts';
import { archiveRoutes } from './resources/archives.ts';
import { breakdownRoutes } from './resources/breakdown.ts';
import { callerRoutes, type RecordForgetting } from './resources/callers.ts';
import { clockRoutes, type NodeClock } from './resources/clock.ts';
import { evidenceRoutes, type RecordEvidence } from './resources/evidence.ts';
import { firewallRoutes } from './resources/firewall.ts';
import { type CheckReadiness, healthRoutes } from './resources/health.ts';
import { historyRoutes } from './resources/history.ts';
import { holdRoutes } from './resources/holds.ts';
import { integrityRoutes } from './resources/integrity.ts';
import { jobRoutes } from './resources/jobs.ts';
import type { LiveFeed } from './resources/live/liveFeed.ts';
import { liveRoutes } from './resources/live.ts';
import { logTileRoutes } from './resources/logTiles.ts';
import { metricsRoutes, type ReadableMetrics } from './resources/metrics.ts';
import { modelRoutes } from './resources/models.ts';
import { openApiRoutes } from './resources/openApi.ts';
import { operatorRoutes } from './resources/operators.ts';
import { overviewRoutes } from './resources/overview.ts';
import { ownerRequestRoutes } from './resources/ownerRequests.ts';
import { ownerRoutes } from './resources/owners.ts';
import { profileRoutes } from './resources/profile.ts';
import { type ClientKey, receiptRoutes } from './resources/receipts.ts';
import { replayRoutes } from './resources/replays.ts';
import { type RecordExport, requestExportRoutes } from './resources/requestExports.ts';
import { requestLogRoutes } from './resources/requestLogs.ts';
import { type Explain, requestRoutes } from './resources/requests.ts';
import { requestTrendsRoutes } from './resources/requestTrends.ts';
import { sessionRoutes } from './resources/sessions.ts';
import { settingsRoutes } from './resources/settings.ts';
import { type NodeStatus, statusRoutes } from './resources/status.ts';
import { teamRoutes } from './resources/teams.ts';
import { tokenRoutes } from './resources/tokens.ts';
import { usageRoutes } from './resources/usage.ts';
import { usageTrendsRoutes } from './resources/usageTrends.ts';
import { type RecordVerification, verificationRoutes } from './resources/verifications.ts';
import { blameRoutes } from './subjects/blameRoutes.ts';

export interface ManagementOptions extends Capabilities {
  readonly dashboardAuth: DashboardAuthServices;
  /** The address under which people open the dashboard, without a slash at its end. */
  readonly publicUrl: string;
  /** Sign-in by OIDC, where it is configured. */
  readonly oidc?: OidcServices;
  readonly links: AccountLinks;
  readonly live: LiveFeed;
  readonly jobs: Jobs;
  readonly retainedKeys: RetainedKeys;
  readonly integrity: Integrity;
  readonly postNotification: PostNotification;
  /** Whether webhooks may have link-local and metadata addresses. */
  readonly allowsLinkLocal: boolean;
  readonly evidence: EvidenceShelf;
  readonly recordEvidence: RecordEvidence;
  readonly recordExport: RecordExport;
  readonly recordForgetting: RecordForgetting;
  readonly verifyLog: VerifyOwnLog;
  readonly recordVerification: RecordVerification;
  readonly archiving: Archiving;
  readonly clientKey: ClientKey;
  readonly explain: Explain;
  readonly replays: ReplayShelf;
  readonly blameEvents: BlameEvents;
  readonly connection?: ConnectionInfo;
  readonly nodeStatus: () => NodeStatus;
  /** Undefined while every fail-closed sink takes events, else whether they do again in time. */
  readonly whenSinksTake?: () => Promise<boolean> | undefined;
  readonly node: NodeClock;
  /** Models in the price table. */
  readonly pricedModels: readonly string[];
  /** Interval at which usage is polled from the provider. */
  readonly usageRefreshSeconds: number;
  /** Called after an account was imported or got new tokens. */
  readonly onAccountImported?: (accountId: AccountId) => void;
  /** The other surfaces that the OpenAPI document describes. */
  readonly otherSurfaces?: readonly Surface[];
  /** Why nothing can be changed here; undefined where it can. Replays change nothing. */
  readonly readOnly?: string;
  /** Whether model requests would be served. */
  readonly readiness?: CheckReadiness;
  /** What `/metrics` shows; absent where nothing runs that could be measured. */
  readonly metrics?: ReadableMetrics;
  /** Counts the responses. */
  readonly responses?: Pick<HttpResponses, 'count'>;
  /** Called with every unexpected error; the client gets `internal_error`. */
  readonly report: ReportError;
}

/** Creates the application for `/api/*`, `/metrics`, `/health`, `/live` and `/ready`. Unknown paths get a 404 in JSON. */
export function createManagement(options: ManagementOptions): Koa<ManagementState> {
  const { ids, dashboardAuth, connection = {}, otherSurfaces = [], report } = options;
  const signIn = createSignIn({ ...options, ...dashboardAuth, connection });

  const app = new Koa<ManagementState>();
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClientDisconnect(error)) report(error);
  });
  app
    .use(countResponses(options.responses))
    .use(respond({ newId: ids.newId, report }))
    .use(healthRoutes(options))
    .use(refuseWrites(options.readOnly))
    .use(identifyClient({ ...options, ...signIn, connection }))
    .use(sameOriginWrites())
    .use(dashboardAuthRoutes({ ...options, ...signIn }))
    .use(operatorAuthRoutes({ ...options, ...signIn }))
    .use(oidcAuthRoutes({ ...options, ...signIn }))
    .use(passkeyRoutes({ ...options, ...signIn }))
    // Check themselves who may read.
    .use(metricsRoutes(options))
    .use(receiptRoutes(options))
    // Routes from here on are protected.
    .use(requireSession(options))
    .use(waitForSinks(options.whenSinksTake))
    .use(idempotentWrites(options))
    .use(accountImportRoutes(options))
    .use(accountRoutes(options))
    .use(oauthRoutes(options))
    .use(apiKeyRoutes(options))
    .use(teamRoutes(options))
    .use(ownerRoutes(options))
    .use(ownerRequestRoutes(options))
    .use(settingsRoutes(options))
    .use(operatorRoutes(options))
    .use(profileRoutes(options))
    .use(tokenRoutes(options))
    .use(firewallRoutes(options))
    .use(clockRoutes(options))
    .use(sessionRoutes({ ...options, signIns: dashboardAuth.signIns }))
    .use(statusRoutes(options))
    .use(requestLogRoutes(options))
    .use(requestExportRoutes(options))
    .use(requestRoutes(options))
    .use(replayRoutes(options))
    .use(accountTrendsRoutes(options))
    .use(usageTrendsRoutes(options))
    .use(usageRoutes(options))
    .use(breakdownRoutes(options))
    .use(overviewRoutes(options))
    .use(modelRoutes(options))
    .use(requestTrendsRoutes(options))
    .use(historyRoutes(options))
    .use(blameRoutes(options))
    .use(integrityRoutes(options))
    .use(verificationRoutes(options))
    .use(archiveRoutes(options))
    .use(callerRoutes(options))
    .use(logTileRoutes(options))
    .use(evidenceRoutes(options))
    .use(jobRoutes(options))
    .use(holdRoutes(options))
    .use(alertRoutes(options))
    .use(liveRoutes(options))
    .use(openApiRoutes({ endpoints: () => endpointsOf(app).endpoints, otherSurfaces }))
    .use(notFound());
  return app;
}
