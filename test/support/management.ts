import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type AccountId, type ApiKeyId, type Instant, instant, type Position } from '../../src/domain/core/brands.ts';
import type { DomainEvent } from '../../src/domain/core/event.ts';
import type { KnownEvent } from '../../src/domain/eventTypes.ts';
import { RequestCompleted, RequestRefused } from '../../src/domain/request/events.ts';
import type { CoolingAccounts } from '../../src/domain/routing/availability.ts';
import type { EventLog } from '../../src/eventLog/eventLog.ts';
import { createEventSink } from '../../src/eventLog/eventSink.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { createKeyedMutex } from '../../src/lib/keyedMutex.ts';
import { createManagement, type ManagementOptions } from '../../src/management/app.ts';
import { createPasswords } from '../../src/management/auth/passwords.ts';
import { SignIns } from '../../src/management/auth/signInRecorder.ts';
import { serializeCommands } from '../../src/management/http/commands.ts';
import { type AccountLinksOptions, createAccountLinks } from '../../src/management/oauth/accountLinks.ts';
import { LiveFeed } from '../../src/management/resources/live/liveFeed.ts';
import { createAuthorization } from '../../src/provider/signIn/authorization.ts';
import { createDeviceCodes } from '../../src/provider/signIn/deviceCodes.ts';
import type { ReadModels } from '../../src/readModels/readModels.ts';
import { createSqliteReadModels } from '../../src/readModels/sqlite/sqliteReadModels.ts';
import { createCommandHandler } from '../../src/state/commands/commandHandler.ts';
import { startHotRunner } from '../../src/state/hotRunner.ts';
import { openVault } from '../../src/vault/sqliteVault.ts';
import { call, type Sent } from './call.ts';
import { NOW } from './specification.ts';

type CompletedData = Parameters<typeof RequestCompleted>[0];
type RefusedData = Parameters<typeof RequestRefused>[0];

/** Takes what has to be done at the end, the last first. */
type AtEnd = (work: () => void | Promise<void>) => void;

/** A folder that is gone when the test has ended. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-management-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface StageOptions extends Partial<ManagementOptions> {
  readonly linking?: {
    readonly authBaseUrl: string;
    readonly changes?: (parts: AccountLinksOptions) => Partial<AccountLinksOptions>;
  };
}

/** Nobody answers there. */
const NO_PROVIDER = 'http://127.0.0.1:9';

/** One management for all tests of a file that do not change it. */
export function sharedManagement(overrides: Partial<ManagementOptions> = {}): () => Stage {
  const works: (() => void | Promise<void>)[] = [];
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await startManagement(overrides, (work) => works.unshift(work));
  });
  afterAll(async () => {
    for (const work of works) await work();
  });
  return () => stage as Stage;
}

/** Management over real HTTP, log, vault and read models, with a clock of its own. Ends with the test. */
export async function startManagement(
  { linking, ...overrides }: StageOptions = {},
  atEnd: AtEnd = onTestFinished,
  folder = temporaryFolder(atEnd),
) {
  const logPath = join(folder, 'log.sqlite');
  const clock = { now: overrides.now?.() ?? NOW };
  const reported: unknown[] = [];
  const cooling: CoolingAccounts = new Map();
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const hot = await startHotRunner(log, (error) => reported.push(error));
  const vault = openVault({ folder });
  let readModels: ReadModels | undefined;
  /** Most tests do without: they start no worker. */
  const models = () => {
    readModels ??= createSqliteReadModels({ folder, logPath });
    return readModels;
  };
  const now = () => clock.now;
  const report = (error: unknown) => reported.push(error);
  const sink = createEventSink({ log, node: 'test', boot: randomUUID(), category: 'sessions' });
  const signIns = new SignIns({ record: sink.record, hot, now, report });
  const live = new LiveFeed({ hot, gatherMs: 5, checkMs: 20 });
  const handle = createCommandHandler({ log, hot, now });
  const inTurn = createKeyedMutex();
  const authBaseUrl = linking?.authBaseUrl ?? NO_PROVIDER;
  const parts: AccountLinksOptions = {
    ...{ hot, vault, inTurn, now, report },
    handle: serializeCommands(handle, inTurn),
    newId: randomUUID,
    node: 'test',
    authorization: createAuthorization({ authBaseUrl, vault }),
    deviceCodes: createDeviceCodes({ authBaseUrl, now }),
    callback: { host: '127.0.0.1', port: 0 },
  };
  const links = createAccountLinks({ ...parts, ...linking?.changes?.(parts) });
  await links.start();
  const options: ManagementOptions = {
    live,
    log,
    hot,
    vault,
    now,
    handle,
    links,
    inTurn,
    requestLog: {
      page: (...query) => models().requestLog.page(...query),
      options: (...query) => models().requestLog.options(...query),
      models: (...query) => models().requestLog.models(...query),
    },
    history: { page: (...query) => models().history.page(...query) },
    requestTotals: {
      since: (...query) => models().requestTotals.since(...query),
      steps: (...query) => models().requestTotals.steps(...query),
    },
    usageTrends: {
      since: (...query) => models().usageTrends.since(...query),
      ofAccount: (...query) => models().usageTrends.ofAccount(...query),
    },
    usageRefreshSeconds: 60,
    progress: { reached: (...query) => models().progress.reached(...query) },
    nodeStatus: () => ({
      node: 'test',
      events: 'embedded',
      cutOffSince: undefined,
      outbox: undefined,
      readModels: 'embedded',
      soleWorks: [],
    }),
    pricedModels: ['gpt-5', 'gpt-5.1'],
    newId: randomUUID,
    newKeyBytes: () => randomBytes(24),
    report,
    signIns,
    // A cheap hash: these tests are not about its cost.
    passwords: createPasswords({ logN: 1 }),
    overlay: { cooling: () => cooling },
    ...overrides,
  };
  const server = createServer(createManagement(options).callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  atEnd(async () => {
    live.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await signIns.stop();
    await links.stop();
    hot.stop();
    await readModels?.close();
    await log.close();
    vault.close();
  });

  const append = appender(log, (position) => hot.whenFolded(position));

  return {
    ...options,
    live,
    folder,
    clock,
    cooling: cooling as Map<AccountId, { until: Instant; reason: string }>,
    /** What was reported as unexpected. */
    reported,
    port,
    /** Appends an event as if the service had done so, and waits until it is folded. */
    append,
    call: (method: string, path: string, sent: Sent = {}) => call(port, method, path, sent),
  };
}

export type Stage = Awaited<ReturnType<typeof startManagement>>;

/** Appends events to a stream of their own each, one batch a call. */
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
