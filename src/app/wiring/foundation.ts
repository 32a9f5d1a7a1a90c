import { randomUUID } from 'node:crypto';
import { type DataFolder, openDataFolder } from '../../dataFolder/dataFolder.ts';
import { damageIn } from '../../dataFolder/openDatabase.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { PriceTable } from '../../domain/pricing/prices.ts';
import { LogBroken } from '../../eventLog/continuity.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { findLogLoss, LogLacksEvents, restoreOrAccept } from '../../eventLog/sqlite/logLoss.ts';
import { keepVerified, type LogVerifier } from '../../eventLog/verification/keepVerified.ts';
import { MIN_EVENTS_FOR_COLLECTION } from '../../lib/collectGarbage.ts';
import type { DescriptorBudget } from '../../lib/descriptors/descriptorBudget.ts';
import { descriptorErrnoIn } from '../../lib/descriptors/systemDescriptors.ts';
import { Faults } from '../../lib/faults.ts';
import { JobRunner } from '../../lib/jobs/jobRunner.ts';
import type { LineDetails, Print } from '../../lib/log/line.ts';
import { MetricRegistry } from '../../lib/metrics/metricRegistry.ts';
import type { SocketTimes } from '../../proxy/socket/socketServices.ts';
import { ClockWatch } from '../../state/clock/clockWatch.ts';
import { type Cause, createCommandHandler, type HandleCommand } from '../../state/commands/commandHandler.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import { type JoinNodesOptions, joinNodes } from '../../state/leases/joinNodes.ts';
import type { LiveNodes } from '../../state/leases/liveNodes.ts';
import { foldFile } from '../../state/pages/foldFile.ts';
import { keepSnapshots, type SnapshotKeeper } from '../../state/snapshots/keepSnapshots.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import type { SnapshotMark } from '../../state/snapshots/snapshotBytes.ts';
import { newestSnapshot, SnapshotFolder, snapshotKey } from '../../state/snapshots/snapshotFolder.ts';
import type { Config } from '../config/config.ts';
import { countAppends } from '../metrics/appendMetrics.ts';
import { createDescriptorBudget } from './descriptorBudget.ts';
import { MARK_FILES } from './knownLog.ts';
import { createLeaderTasks, type LeaderTasks } from './leaderTasks.ts';
import { reportLostKeys } from './lostKeys.ts';
import { openStore } from './openStore.ts';
import { readPrices } from './pricesFile.ts';
import { reportDetails, reportText } from './reportText.ts';
import type { Store } from './store.ts';

export interface ServiceIo {
  readonly print: Print;
  /** Whether to build a dashboard that is missing or older than its sources; by default one that is built is served. */
  readonly buildsDashboard?: boolean;
  /** Collects the garbage of the start. Absent where the service shares its process, whose heap is not all its own. */
  readonly collectGarbage?: () => Promise<void>;
  /** Shorter times of websockets; for tests. */
  readonly socketTimes?: Partial<SocketTimes>;
  /** Called once, when the service cannot continue. */
  readonly onFatal: (error: Error) => void;
}

/** What every other part is built on: the store, the hot state folded from it, and the functions that change both. */
export interface Foundation {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly store: Store;
  readonly hot: HotRunner;
  /** Snapshots of the hot state; not started yet. */
  readonly snapshots: SnapshotKeeper;
  /** Verifies the hashes of the log in the background; not started yet. */
  readonly verifier: LogVerifier;
  readonly handle: HandleCommand;
  /** The prices that the costs of requests are calculated from. */
  readonly prices: PriceTable;
  readonly now: () => Instant;
  /** The clock of this machine, and that of the windows of limits. */
  readonly clock: ClockWatch;
  readonly newId: () => string;
  readonly print: Print;
  /** Reports an unexpected error to the operator. */
  readonly report: (error: unknown, about?: Pick<LineDetails, 'request'>) => void;
  /** What is wrong at the moment, for the operator. */
  readonly faults: Faults;
  /** The file descriptors of this process. */
  readonly descriptors: DescriptorBudget;
  /** What `/metrics` shows; every part adds its own. */
  readonly metrics: MetricRegistry;
  /** The cause of commands that the service itself issues. */
  readonly systemCause: (reason: string) => Cause;
  /** Long work that operators start on this node, one job at a time. */
  readonly jobs: JobRunner<Actor>;
  /** Tasks that one node, the leader, runs for all nodes. */
  readonly leaderTasks: LeaderTasks;
  /** The live nodes that share the store. */
  readonly nodes: Pick<LiveNodes, 'count' | 'names'>;
  close(): Promise<void>;
}

/** Without its lease this node works within its share, but the others do not know of it. */
const announcing = (faults: Faults): Pick<JoinNodesOptions, 'onRefused' | 'onWritten'> => ({
  onRefused: ({ message }) =>
    faults.raise({
      code: 'node_unannounced',
      cause: `Other nodes do not see this one, and share limits without it: ${message}.`,
      remedy: 'Restore the stream, or give this node another SVC_NODE_ID. It retries by itself.',
    }),
  onWritten: () => faults.clear('node_unannounced'),
});

/** The store may be lost during the start. */
const JOIN_TIMEOUT_MS = 2_000;

/** A folder that was mounted at the wrong node looks the same. */
function reportFormerNode({ path, node, formerNode }: DataFolder, print: ServiceIo['print']): void {
  if (formerNode === undefined) return;
  print(
    `${path} belonged to the node ${formerNode} and now belongs to ${node}, as SVC_NODE_ID says. If it is the folder of another node, stop svc and set SVC_DATA_DIR.`,
    { level: 'warn', code: 'node_renamed' },
  );
}

/** Resolves when this node has folded the whole log. @throws when a part cannot start, with what to do */
export async function openFoundation(
  config: Config,
  { print, onFatal, collectGarbage }: ServiceIo,
): Promise<Foundation> {
  const now = () => instant(Date.now());
  const faults = new Faults({ print, now });
  const descriptors = createDescriptorBudget(faults);
  const report: Foundation['report'] = (error, about) => {
    const damage = damageIn(error);
    const errno = descriptorErrnoIn(error);
    if (errno) descriptors.onRefused(errno);
    else if (damage) {
      const { path, ...sentences } = damage;
      faults.raise({ code: 'file_damaged', subject: path, ...sentences });
    } else print(reportText(error), reportDetails(error, about?.request));
  };
  const prices = readPrices(config.SVC_PRICES_FILE);
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  reportFormerNode(folder, print);
  const metrics = new MetricRegistry();
  const store = await openStore(config, folder, { print, report, faults, onAppended: countAppends(metrics) });
  const reportSnapshot = (line: string): void => print(line, { level: 'warn', code: 'snapshot_unusable' });
  const snapshotFolder = new SnapshotFolder(folder.file('snapshots'), snapshotKey(store.vault));
  const first = firstFold(store.logPath);
  const snapshot = await newestSnapshot(
    snapshotFolder,
    store.log,
    reportSnapshot,
    (name, mark) => refuseLogBehind(store, name, mark),
    first.state.position,
  );
  const fold = snapshot?.fold ?? first;
  const foldedBefore = fold.state.position;
  await foldFile(fold, store.logPath, await store.log.head()).catch((error: unknown) => refuseBroken(store, error));
  // Pages that waited for their turn outlive young collections; the thread of the read models needs that memory next.
  if (fold.state.position - foldedBefore >= MIN_EVENTS_FOR_COLLECTION) await collectGarbage?.();
  const hot = await startHotRunner(store.log, onFatal, fold);
  reportLostKeys({ hot, store, faults, path: folder.file('vault.sqlite') });
  const clock = new ClockWatch({ hot, now, faults, sharesLog: store.leases !== undefined });
  hot.onFolded(({ type }) => {
    if (type === 'ClockAccepted') clock.onAccepted();
  });
  const verifier = keepVerified({
    logPath: store.logPath,
    markPath: folder.file(MARK_FILES.verified),
    head: () => hot.state.position,
    faults,
    report,
  });
  const snapshots = keepSnapshots({
    hot,
    logPath: store.logPath,
    folder: snapshotFolder,
    isStartedFromSnapshot: snapshot !== undefined,
    onRefuted: onFatal,
    report: reportSnapshot,
  });
  const { node, boot } = folder;
  const joined = store.leases && joinNodes({ streams: store.leases, node, boot, clock, ...announcing(faults) });
  if (joined) clock.follow(joined.live);
  // The others share limits with this node before it admits its first request.
  await joined?.whenKnown(JOIN_TIMEOUT_MS);
  return {
    config,
    folder,
    store,
    hot,
    snapshots,
    verifier,
    handle: createCommandHandler({ log: store.log, hot, now, windowsNow: () => clock.limitClock.ofNewLimit() }),
    prices,
    now,
    clock,
    newId: randomUUID,
    print,
    report,
    faults,
    descriptors,
    metrics,
    systemCause: (reason) => ({ actor: { kind: 'system', reason }, correlationId: randomUUID() }),
    jobs: new JobRunner({ newId: randomUUID, now, report }),
    leaderTasks: createLeaderTasks({ store, folder, report }),
    nodes: joined?.live ?? { count: 1, names: [folder.node] },
    async close() {
      await snapshots.stop();
      await verifier.stop();
      await joined?.leave();
      hot.stop();
      await store.close();
      folder.close();
    },
  };
}

/** @throws LogBroken with what to do, or another error as it is */
function refuseBroken({ name, logPath }: Store, error: unknown): never {
  if (!(error instanceof LogBroken)) throw error;
  const remedy =
    name === 'embedded' ? restoreOrAccept(logPath) : `Delete ${logPath}, which svc reads again from EventStoreDB.`;
  throw new LogBroken(logPath, error.found, remedy);
}

/** A snapshot of this installation is made from its log and never ahead of it. @throws LogLacksEvents */
function refuseLogBehind({ logPath }: Store, name: string, { position, eventId, eventHash }: SnapshotMark): void {
  const known = { position, id: eventId, hash: eventHash, time: null, source: `snapshots/${name}` };
  const loss = findLogLoss(logPath, [known]);
  if (loss) throw new LogLacksEvents(logPath, loss, restoreOrAccept(logPath));
}
