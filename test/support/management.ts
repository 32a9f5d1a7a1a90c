import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createPostNotification } from '../../src/alerts/postNotification.ts';
import { createClientKey } from '../../src/app/wiring/clientKey.ts';
import type { RecordAudit } from '../../src/app/wiring/nodeRecords.ts';
import { Archiving } from '../../src/archive/archiving.ts';
import { type AccountId, type ApiKeyId, type Instant, instant, type Position } from '../../src/domain/core/brands.ts';
import type { DomainEvent } from '../../src/domain/core/event.ts';
import type { KnownEvent } from '../../src/domain/eventTypes.ts';
import type { IpAddress } from '../../src/domain/firewall/ipAddress.ts';
import { ADMIT_VERSION } from '../../src/domain/limits/admit.ts';
import { RequestAdmitted, RequestCompleted, RequestRefused } from '../../src/domain/request/events.ts';
import type { Actor, EventLog } from '../../src/eventLog/eventLog.ts';
import { createEventSink } from '../../src/eventLog/eventSink.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { EvidenceShelf } from '../../src/evidence/shelf/evidenceShelf.ts';
import { keepTree } from '../../src/integrity/tree/keepTree.ts';
import { JobRunner } from '../../src/lib/jobs/jobRunner.ts';
import { HttpResponses } from '../../src/lib/metrics/httpResponses.ts';
import { MetricRegistry } from '../../src/lib/metrics/metricRegistry.ts';
import { createPost } from '../../src/lib/outgoing/post.ts';
import { createRetainedKeys } from '../../src/management/accounts/retainedKeys.ts';
import { createManagement } from '../../src/management/app.ts';
import type { ConnectionInfo } from '../../src/management/auth/access.ts';
import { DeniedActions } from '../../src/management/auth/deniedActions.ts';
import type { OidcServices } from '../../src/management/auth/oidc/oidcAuth.ts';
import { createPasswords } from '../../src/management/auth/passwords.ts';
import type { SetupToken } from '../../src/management/auth/setupToken.ts';
import { SignInRecorder } from '../../src/management/auth/signInRecorder.ts';
import { createCommands } from '../../src/management/http/commands.ts';
import { createViews } from '../../src/management/http/views.ts';
import { type AccountLinksOptions, createAccountLinks } from '../../src/management/oauth/accountLinks.ts';
import { createDirectory } from '../../src/management/people/directory.ts';
import { LiveFeed } from '../../src/management/resources/live/liveFeed.ts';
import type { NodeStatus } from '../../src/management/resources/status.ts';
import { directCalls } from '../../src/provider/outgoingProxy/directCalls.support.ts';
import { createAuthorization } from '../../src/provider/signIn/authorization.ts';
import { createDeviceCodes } from '../../src/provider/signIn/deviceCodes.ts';
import type { ReadModelPorts, ReadModels } from '../../src/readModels/readModels.ts';
import { createSqliteReadModels } from '../../src/readModels/sqlite/sqliteReadModels.ts';
import { keepReading } from '../../src/replay/reading/keepReading.ts';
import { ReplayShelf } from '../../src/replay/service/replayShelf.ts';
import { createCommandHandler, type HandleCommand } from '../../src/state/commands/commandHandler.ts';
import { Checkpoints } from '../../src/state/fold/checkpoints.ts';
import { emptyFold } from '../../src/state/fold/fold.ts';
import { startHotRunner } from '../../src/state/hotRunner.ts';
import { createPast } from '../../src/state/past/past.ts';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { createVerifyOwnLog } from '../../src/verification/verifyOwnLog.ts';
import { call, type SentRequest } from './call.ts';
import { collectFaults } from './collectFaults.ts';
import { signedCheckpoints } from './integrity/signedCheckpoints.ts';
import { NOW } from './specification.ts';

type CompletedData = Parameters<typeof RequestCompleted>[0];
type AdmittedData = Parameters<typeof RequestAdmitted>[0];
type Estimate = NonNullable<AdmittedData['admission']>['estimate'];
type RefusedData = Parameters<typeof RequestRefused>[0];

/** Registers a cleanup; cleanups run in reverse order. */
type AtEnd = (cleanup: () => void | Promise<void>) => void;

/** A folder that is deleted when the test ends. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-management-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Parts of management that a test replaces. */
export interface StageOptions {
  /** The time that the clock begins with. */
  readonly startAt?: Instant;
  readonly handle?: HandleCommand;
  readonly queries?: Partial<ReadModelPorts>;
  readonly connection?: ConnectionInfo;
  readonly setupToken?: SetupToken;
  readonly oidc?: OidcServices;
  readonly isAllowedScraper?: () => boolean;
  readonly allowsLocalSignIn?: boolean;
  readonly publicUrl?: string;
  readonly nodeStatus?: () => NodeStatus;
  readonly onAccountImported?: (accountId: AccountId) => void;
  readonly linking?: {
    readonly authBaseUrl: string;
    readonly changes?: (parts: AccountLinksOptions) => Partial<AccountLinksOptions>;
  };
}

/** So few events that an earlier moment is folded on from a copy of the state, as it is in a long log. */
const CHECKPOINT_SPACING = 2;
/** Nothing listens there. */
const NO_PROVIDER = 'http://127.0.0.1:9';

/** One management for all tests of a file, which must not depend on each other's changes. */
export function sharedManagement(options: StageOptions = {}): () => Stage {
  const cleanups: (() => void | Promise<void>)[] = [];
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await startManagement(options, (cleanup) => cleanups.unshift(cleanup));
  });
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return () => stage as Stage;
}

/** Management over HTTP with a real log, vault and read models, and a clock that the test sets. */
export async function startManagement(
  stageOptions: StageOptions = {},
  atEnd: AtEnd = onTestFinished,
  folder = temporaryFolder(atEnd),
) {
  const { linking, onAccountImported } = stageOptions;
  const logPath = join(folder, 'log.sqlite');
  const clock = { now: stageOptions.startAt ?? NOW };
  const now = () => clock.now;
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const hot = await startHotRunner(log, report, emptyFold(new Checkpoints(CHECKPOINT_SPACING)));
  const vault = openSqliteVault({ folder });
  const readModels = lazyReadModels({ folder, logPath });
  const sink = createEventSink({ log, node: 'test', boot: randomUUID(), category: 'sessions' });
  const signIns = new SignInRecorder({ record: sink.record, hot, now, report, faults: collectFaults() });
  const denied = new DeniedActions({ record: sink.record, now, report });
  const directory = createDirectory({ vault, state: () => hot.state });
  const live = new LiveFeed({ hot, batchMs: 5, checkMs: 20 });
  const commands = createCommands({ log, handle: stageOptions.handle ?? createCommandHandler({ log, hot, now }) });
  const authBaseUrl = linking?.authBaseUrl ?? NO_PROVIDER;
  const linksOptions: AccountLinksOptions = {
    ...{ hot, commands, vault, now, report },
    newId: randomUUID,
    node: 'test',
    authorization: createAuthorization({ authBaseUrl, agentFor: directCalls, vault }),
    deviceCodes: createDeviceCodes({ authBaseUrl, agentFor: directCalls, now }),
    callback: { host: '127.0.0.1', port: 0 },
  };
  const links = createAccountLinks({ ...linksOptions, ...linking?.changes?.(linksOptions) });
  await links.start();
  const tree = keepTree({ folder, logPath });
  const checkpoints = signedCheckpoints(tree);
  const jobs = new JobRunner<Actor>({ newId: randomUUID, now, report });
  const past = createPast({ log, hot, logPath });
  const reading = keepReading({ location: logPath });
  const evidence = new EvidenceShelf({ folder, logName: basename(logPath), newId: randomUUID, now, parent: folder });
  const audits = createEventSink({ log, node: 'test', boot: randomUUID(), category: 'audits' });
  const recordAudit: RecordAudit = async (event, { actor, correlationId }) => {
    await audits.record({ ...event, id: randomUUID(), time: now(), actor, correlationId });
  };
  const metrics = new MetricRegistry();
  const responses = new HttpResponses();
  metrics.add(responses.metric);
  const management = createManagement({
    views: createViews({ hot, past, now }),
    commands,
    queries: { ...readModels.queries, ...stageOptions.queries },
    vault,
    ids: { newId: randomUUID, newKeyBytes: () => randomBytes(24) },
    now,
    directory,
    publicUrl: stageOptions.publicUrl ?? 'https://svc.example',
    ...(stageOptions.oidc && { oidc: stageOptions.oidc }),
    dashboardAuth: {
      allowsLocalSignIn: stageOptions.allowsLocalSignIn ?? true,
      signIns,
      denied,
      // The lowest cost: few tests are about hashing.
      passwords: createPasswords({ logN: 1 }),
      ...(stageOptions.setupToken && { setupToken: stageOptions.setupToken }),
    },
    links,
    live,
    jobs,
    retainedKeys: createRetainedKeys({ hot, vault, log, mutex: commands.mutex, report }),
    integrity: { tree, checkpoints },
    postNotification: createPostNotification(createPost({ agentsFor: () => ({}), allowsLinkLocal: false })),
    allowsLinkLocal: false,
    evidence,
    recordEvidence: recordAudit,
    recordExport: recordAudit,
    recordForgetting: recordAudit,
    verifyLog: createVerifyOwnLog({ folder, logName: 'log.sqlite', comparesReadModels: true, checkpoints: undefined }),
    archiving: new Archiving({
      log,
      logPath,
      removeRows: log.removeRows,
      restoreRows: log.restoreRows,
      folder: join(folder, 'archives'),
      holds: () => hot.state.holds.active.values(),
      whenFolded: async () => hot.whenFolded(await log.head()),
      now,
    }),
    recordVerification: recordAudit,
    clientKey: createClientKey({ hot: hot.state, now, ...PROXY_CLIENT }),
    replays: new ReplayShelf(logPath),
    explain: reading.explain,
    blameEvents: reading,
    ...(stageOptions.connection && { connection: stageOptions.connection }),
    node: { name: 'test', isClockHeld: () => false, clockDisagreement: () => undefined },
    nodeStatus: stageOptions.nodeStatus ?? (() => EMBEDDED_NODE),
    pricedModels: ['gpt-5', 'gpt-5.1'],
    usageRefreshSeconds: 60,
    metrics: { registry: metrics, isAllowedPeer: stageOptions.isAllowedScraper ?? (() => false) },
    responses,
    ...(onAccountImported && { onAccountImported }),
    report,
  });
  const server = createServer(management.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  atEnd(async () => {
    live.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await jobs.stop();
    await evidence.close();
    await reading.close();
    await signIns.stop();
    await denied.stop();
    await links.stop();
    hot.stop();
    await tree.close();
    await readModels.close();
    await log.close();
    vault.close();
  });

  return {
    ...{
      management,
      log,
      hot,
      vault,
      signIns,
      denied,
      directory,
      live,
      jobs,
      tree,
      checkpoints,
      now,
      folder,
      clock,
      port,
    },
    /** Unexpected errors. */
    reported,
    /** Appends an event and waits until it is folded. */
    append: appender(log, (position) => hot.whenFolded(position)),
    call: (method: string, path: string, sent: SentRequest = {}) => call(port, method, path, sent),
  };
}

/** Clients as the rules of the proxy see them. */
const PROXY_CLIENT = {
  clientAddress: () => '127.0.0.1' as IpAddress,
  isThisMachine: () => true,
  allowsOpen: false,
};

const EMBEDDED_NODE: NodeStatus = {
  node: 'test',
  nodes: ['test'],
  events: 'embedded',
  cutOffSince: undefined,
  outbox: undefined,
  readModels: 'embedded',
  leaderTasks: [],
  faults: [],
  reservations: { requests: 0, amountOn: () => 0 },
};

/** Read models that start their worker with the first query: most tests need none. */
function lazyReadModels(options: { readonly folder: string; readonly logPath: string }) {
  let started: ReadModels | undefined;
  const models = () => {
    started ??= createSqliteReadModels(options);
    return started;
  };
  const queries: ReadModelPorts = {
    requestLog: {
      page: (...query) => models().requestLog.page(...query),
      rows: (...query) => models().requestLog.rows(...query),
      options: (...query) => models().requestLog.options(...query),
      models: (...query) => models().requestLog.models(...query),
    },
    history: { page: (...query) => models().history.page(...query) },
    requestTotals: {
      since: (...query) => models().requestTotals.since(...query),
      steps: (...query) => models().requestTotals.steps(...query),
    },
    figures: { breakdown: (...query) => models().figures.breakdown(...query) },
    usageTrends: {
      since: (...query) => models().usageTrends.since(...query),
      ofAccount: (...query) => models().usageTrends.ofAccount(...query),
    },
    progress: { reached: (...query) => models().progress.reached(...query) },
  };
  return { queries, close: async () => started?.close() };
}

export type Stage = Awaited<ReturnType<typeof startManagement>>;

/** Returns a function that appends its events to a new stream in one batch and waits until they are folded. */
export function appender(log: EventLog, whenFolded: (position: Position) => Promise<void>) {
  return async (...events: DomainEvent[]): Promise<Position> => {
    const stream = `test-${randomUUID()}`;
    const outcome = await log.append(
      stream,
      -1,
      events.map((event) => ({
        ...(event as KnownEvent),
        id: randomUUID(),
        time: NOW,
        actor: { kind: 'system', reason: 'test' },
        correlationId: 'test',
      })),
    );
    if (outcome.kind !== 'committed') throw new Error(`not appended: ${JSON.stringify(outcome)}`);
    await whenFolded(outcome.position);
    return outcome.position;
  };
}

export const completed = (data: Partial<CompletedData> = {}) =>
  RequestCompleted({
    requestId: `req_${randomUUID()}`,
    keyId: null,
    route: '/v1/responses',
    model: 'gpt-5.1',
    effort: null,
    requestedAt: NOW,
    status: '200',
    errorCode: null,
    errorMessage: null,
    accountId: 'account-1' as AccountId,
    latencyMs: 1_200,
    firstByteMs: 300,
    usage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20, reasoningTokens: 8, isEstimated: false },
    costMicroDollars: 1_250 as CompletedData['costMicroDollars'],
    priceVersion: '1',
    attempts: [],
    ...data,
  });

/** An announced request that reserves its estimate, unless it is completed. */
export const admitted = (estimate: Estimate, data: Partial<AdmittedData> = {}) =>
  RequestAdmitted({
    requestId: `req_${randomUUID()}`,
    keyId: null,
    route: '/v1/responses',
    model: 'gpt-5.1',
    effort: null,
    requestedAt: NOW,
    accountId: 'account-1' as AccountId,
    admission: {
      decidedAt: 1 as Position,
      asOf: data.requestedAt ?? NOW,
      v: ADMIT_VERSION,
      estimate,
      estimateSource: 'default',
      reserved: [],
    },
    ...data,
  });

export const refused = (data: Partial<RefusedData> = {}) =>
  RequestRefused({
    requestId: `req_${randomUUID()}`,
    keyId: '11111111-1111-4111-8111-111111111111' as ApiKeyId,
    route: '/v1/responses',
    model: 'gpt-5.1',
    effort: 'high',
    requestedAt: NOW,
    status: '429',
    errorCode: 'rate_limit_exceeded',
    errorMessage: 'The limit is used up',
    latencyMs: 2,
    ...data,
  });

export const at = (text: string): Instant => instant(Date.parse(text));
