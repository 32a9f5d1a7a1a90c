import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { Config } from './config.ts';
import { type AccountId, type ApiKeyId, instant } from './domain/brands.ts';
import { builtInPrices } from './domain/pricing/prices.ts';
import { createClientAddress } from './http/clientAddress.ts';
import { createDashboard } from './http/dashboard/dashboard.ts';
import { createIsHttps } from './http/isHttps.ts';
import { startHttpServer } from './http/server.ts';
import { openDataFolder } from './log/dataFolder.ts';
import { createSetupToken } from './management/dashboardAuth/setupToken.ts';
import { SignIns } from './management/dashboardAuth/signIns.ts';
import { destroyKeysOfAllDisabledTotp } from './management/dashboardAuth/totpKeys.ts';
import { destroyKeysOfDeletedAccounts } from './management/destroyKeysOfDeletedAccounts.ts';
import { createTurns, handlingInTurn } from './management/inTurn.ts';
import { LiveFeed } from './management/live/liveFeed.ts';
import { createManagement } from './management/management.ts';
import { createAccountLinks } from './management/oauth/accountLinks.ts';
import { type Cause, createCommandHandler } from './projecting/commandHandler.ts';
import { startHotRunner } from './projecting/hotRunner.ts';
import { subjects } from './projecting/subjects.ts';
import { soleTenure } from './projecting/tenure.ts';
import { createAccessTokens } from './provider/accessTokens.ts';
import { createLearnedUsage } from './provider/learnedUsage.ts';
import { createModelPoller } from './provider/modelPoller.ts';
import { upstreamHeaders } from './provider/outboundHeaders.ts';
import { deactivationReason } from './provider/permanentFailures.ts';
import { createProactiveRefresh } from './provider/proactiveRefresh.ts';
import { createAuthorization } from './provider/signIn/authorization.ts';
import { createDeviceCodes } from './provider/signIn/deviceCodes.ts';
import { createTokenEndpoint } from './provider/tokenEndpoint.ts';
import { createUsagePoller } from './provider/usagePoller.ts';
import { createPriceLookup } from './proxy/admission/estimate.ts';
import { ForeignReservations } from './proxy/admission/foreignReservations.ts';
import { Ledger } from './proxy/admission/ledger.ts';
import { createProxy } from './proxy/app.ts';
import { Cooldowns } from './proxy/attempts/cooldowns.ts';
import { proxySurface } from './proxy/endpoints.ts';
import { ModelList } from './proxy/models/modelList.ts';
import { OpenRequests } from './proxy/openRequests.ts';
import { ProxyError } from './proxy/proxyError.ts';
import { RecentItems } from './proxy/responses/recentItems.ts';
import { isProxyPath } from './proxy/routes.ts';
import { Refusals } from './proxy/settlement/refusals.ts';
import { settleAbandoned } from './proxy/settlement/settleAbandoned.ts';
import { createSettlement } from './proxy/settlement/settlement.ts';
import { createMongoReadModels } from './readModels/mongo/mongoReadModels.ts';
import type { ReadModels } from './readModels/readModels.ts';
import { createSqliteReadModels } from './readModels/sqlite/sqliteReadModels.ts';
import { createOwnRecords } from './wiring/ownRecords.ts';
import { startSoleWork, untilOver } from './wiring/soleWork.ts';
import { openStore } from './wiring/store.ts';

export interface Service {
  readonly url: string;
  /** Lets open streams finish for `SVC_DRAIN_SECONDS`, flushes the log, lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServiceIo {
  /** Writes one line for the operator. */
  readonly say: (line: string) => void;
  /** The service can do no more; told once. */
  readonly onFatal: (error: Error) => void;
}

const DASHBOARD = fileURLToPath(new URL('../dashboard/build', import.meta.url));
const KEEP_ALIVE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The composition root: the only place that knows every part. @throws when a part cannot start, with what to do */
export async function startService(config: Config, { say, onFatal }: ServiceIo): Promise<Service> {
  const now = () => instant(Date.now());
  const report = (error: unknown) => say(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  const because = (reason: string): Cause => ({ actor: { kind: 'system', reason }, correlationId: randomUUID() });

  // What must outlive the process.
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  const store = await openStore(config, folder, { say, report });
  const { log, vault, logPath } = store;

  // What is folded from it.
  const hot = await startHotRunner(log, onFatal);
  const handle = createCommandHandler({ log, hot, now });
  const mongo =
    config.SVC_MONGODB_URL === undefined
      ? undefined
      : createMongoReadModels({ url: config.SVC_MONGODB_URL, logPath, fencedBy: 'embedded log', say });
  const readModels: ReadModels = mongo ?? createSqliteReadModels({ folder: folder.path, logPath, onTrouble: report });
  void mongo?.project(soleTenure());
  hot.onFolded(({ position }) => readModels.notify(position));
  readModels.notify(hot.state.position);

  // What this node adds, and what it knows beyond the log.
  const isOurs = (stream: string) => stream.startsWith(`requests-${folder.node}.${folder.boot}_`);
  const isOfThisNode = (stream: string) => stream.startsWith(`requests-${folder.node}.`);
  const ledger = new Ledger();
  const cooldowns = new Cooldowns();
  const foreign = new ForeignReservations(hot.state, isOurs);
  hot.onFolded((event) => {
    foreign.onFolded(event);
    if (event.type !== 'RequestCompleted') return;
    ledger.release(event.data.requestId);
    for (const { accountId, limitedUntil } of event.data.attempts) {
      if (limitedUntil !== undefined) cooldowns.forgetLimit(accountId);
    }
  });
  const records = await createOwnRecords({ store, folder, hot, now, ledger, cooldowns, foreign });
  const { recordRequest: record, recordSession, recordResult, pending } = records;
  const reservedElsewhere = (keyId: ApiKeyId, ruleId: number) =>
    foreign.reservedOn(keyId, ruleId) + (pending?.usedOn(keyId, ruleId, now()) ?? 0);

  // The provider.
  const base = new URL(config.SVC_UPSTREAM_BASE_URL);
  const dispatcher = new Pool(base.origin, {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const tokenEndpoint = createTokenEndpoint({ authBaseUrl: config.SVC_AUTH_BASE_URL });
  const tokens = createAccessTokens({
    hot,
    handle,
    vault,
    now,
    newId: randomUUID,
    tokenEndpoint,
    report,
    ...(recordResult && { recordResult }),
  });
  const proactiveRefresh = createProactiveRefresh({ hot, tokens, now });
  const learnedUsage = createLearnedUsage({ hot, handle, now, newId: randomUUID, report });
  const poller = createUsagePoller({
    hot,
    handle,
    tokens,
    now,
    newId: randomUUID,
    report,
    upstreamBaseUrl: config.SVC_UPSTREAM_BASE_URL,
    everyMs: config.SVC_USAGE_REFRESH_SECONDS * 1_000,
  });

  const modelPoller = createModelPoller({
    hot,
    handle,
    tokens,
    now,
    newId: randomUUID,
    report,
    upstreamBaseUrl: config.SVC_UPSTREAM_BASE_URL,
  });

  // Requests.
  const priceOf = createPriceLookup(builtInPrices);
  const pricing = { priceOf, priceVersion: builtInPrices.version };
  const left = await settleAbandoned({
    open: pending?.openRequests() ?? hot.state.openRequests.values(),
    isAbandoned: (stream) => isOfThisNode(stream) && !isOurs(stream),
    record,
    now,
    ...pricing,
  });
  if (left > 0) say(`settled as abandoned what the last run left open: ${left} ${left === 1 ? 'request' : 'requests'}`);
  await destroyKeysOfDeletedAccounts({ hot, vault });
  await destroyKeysOfAllDisabledTotp({ log, vault });

  const models = new ModelList(hot.state);
  hot.onFolded((event) => models.onFolded(event));
  const openRequests = new OpenRequests({
    record,
    now,
    idleMs: config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const refusals = new Refusals({ record, now });
  const recentItems = new RecentItems();
  const deactivate = (accountId: AccountId, code: string) => {
    const reason = deactivationReason(code);
    const command = { type: 'DeactivateAccount', accountId, reason, code } as const;
    handle(subjects.account, accountId, command, because(reason)).catch(report);
  };
  const addressing = {
    trustsProxyHeaders: config.FIREWALL_TRUST_PROXY_HEADERS,
    trustedProxies: config.FIREWALL_TRUSTED_PROXY_CIDRS,
    mode: config.FIREWALL_XFF_MODE,
  };
  const clientAddress = createClientAddress(addressing);
  let turn = 0;
  let isDraining = false;

  const proxy = createProxy({
    hot: hot.state,
    now,
    report,
    clientAddress,
    hasAliases: config.SVC_CODEX_ALIASES,
    closedBecause: () => (isDraining ? 'shutting_down' : store.outbox?.isFull ? 'outbox_full' : undefined),
    openRequests,
    refusals,
    recentItems,
    models,
    whenAsked: modelPoller.whenIdle,
    pinDigest: (value) => vault.digest('pin', value),
    upstreamBasePath: base.pathname.replace(/\/$/, ''),
    ledger,
    reservedElsewhere,
    priceOf,
    cooldowns,
    tokens,
    dispatcher,
    upstreamHeaders,
    learnUsage: learnedUsage.learn,
    settle: createSettlement({ record, ledger, now, ...pricing }),
    deactivate,
    ...(pending && { pendingPin: (digest: string) => pending.pinOf(digest) }),
    remember: ({ key }, output) => recentItems.remember(key?.id ?? 'anonymous', output),
    nextTurn: () => turn++,
    onDone: (exchange) => openRequests.remove(exchange),
  });

  // Management.
  const signIns = new SignIns({ record: recordSession, hot, now, report });
  // What is said before the service listens is said in vain when it cannot.
  const announcements: string[] = [];
  let announce = (line: string): void => void announcements.push(line);
  const setupToken = createSetupToken({
    hot,
    configured: config.SVC_SETUP_TOKEN,
    newToken: () => randomBytes(24).toString('base64url'),
    announce: (token) =>
      announce(`No dashboard password is set. To set it from another machine, use setup_token ${token}`),
  });
  const live = new LiveFeed({ hot });
  const onAccountImported = (accountId: AccountId) => {
    void poller.pollNow(accountId).catch(report);
    modelPoller.pollNow(accountId);
  };
  const inTurn = createTurns();
  const authBaseUrl = config.SVC_AUTH_BASE_URL;
  const links = createAccountLinks({
    hot,
    handle: handlingInTurn(handle, inTurn),
    vault,
    inTurn,
    now,
    newId: randomUUID,
    report,
    onAccountImported,
    node: folder.node,
    authorization: createAuthorization({ authBaseUrl, vault }),
    deviceCodes: createDeviceCodes({ authBaseUrl, now }),
    callback: { host: callbackHost(config.SVC_HOST), port: config.SVC_OAUTH_CALLBACK_PORT },
  });
  const management = createManagement({
    live,
    log,
    hot,
    handle,
    vault,
    requestLog: readModels.requestLog,
    history: readModels.history,
    otherSurfaces: [proxySurface],
    requestTotals: readModels.requestTotals,
    usageTrends: readModels.usageTrends,
    pricedModels: builtInPrices.models.map(({ model }) => model.replace(/\*$/, '')),
    now,
    report,
    signIns,
    setupToken,
    clientAddress,
    isHttps: createIsHttps(addressing),
    newId: randomUUID,
    newKeyBytes: () => randomBytes(24),
    overlay: { cooling: () => cooldowns.current },
    onAccountImported,
    links,
    inTurn,
    reservedOn: (keyId, ruleId) => ledger.reservedOn(keyId, ruleId) + reservedElsewhere(keyId, ruleId),
  });

  const server = await startHttpServer({
    host: config.SVC_HOST,
    port: config.SVC_PORT,
    isProxyPath,
    proxy,
    dashboard: createDashboard(DASHBOARD),
    management: management.callback(),
  });
  announce = say;
  announcements.forEach(say);
  // Each account is asked once for all nodes.
  const polling = startSoleWork(
    'usage-polling',
    async (tenure) => {
      poller.start();
      await untilOver(tenure);
      await polling.stop();
    },
    { store, folder, report },
  );
  proactiveRefresh.start();
  modelPoller.start();
  await links.start();

  let stopped: Promise<void> | undefined;
  async function stopOnce(): Promise<void> {
    isDraining = true;
    live.stop();
    server.stopListening();
    const deadline = performance.now() + config.SVC_DRAIN_SECONDS * 1_000;
    const remainingMs = () => Math.max(1_000, deadline - performance.now());
    await within(config.SVC_DRAIN_SECONDS * 1_000, openRequests.drained());
    openRequests.abortAll(new ProxyError('shutting_down'));
    await openRequests.drained();
    // What was answered must also arrive, and requests whose bodies were on their way get an answer.
    await server.closed(remainingMs());
    openRequests.abortAll(new ProxyError('shutting_down'));
    await openRequests.drained();
    openRequests.stop();
    await links.stop();
    await proactiveRefresh.stop();
    await learnedUsage.stop();
    await poller.stop();
    await modelPoller.stop();
    await tokens.stop();
    await refusals.stop();
    await signIns.stop();
    await records.stop();
    await dispatcher.destroy();
    hot.stop();
    await readModels.close();
    await store.close();
    folder.close();
  }
  return {
    url: server.url,
    stop: () => {
      stopped ??= stopOnce();
      return stopped;
    },
  };
}

/** Browsers come back to this machine, or through the port that a container publishes, which reaches no loopback. */
const callbackHost = (host: string) => (host === '0.0.0.0' || host === '::' ? host : '127.0.0.1');

/** Waits for a promise, but not for ever. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, patience]);
  clearTimeout(timer);
}
