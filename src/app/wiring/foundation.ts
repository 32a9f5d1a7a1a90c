import { randomUUID } from 'node:crypto';
import { type DataFolder, openDataFolder } from '../../dataFolder/dataFolder.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { PriceTable } from '../../domain/pricing/prices.ts';
import { type Cause, createCommandHandler, type HandleCommand } from '../../state/commands/commandHandler.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { foldFile } from '../../state/pages/foldFile.ts';
import { foldFrom } from '../../state/snapshots/foldData.ts';
import { keepSnapshots, type SnapshotKeeper } from '../../state/snapshots/keepSnapshots.ts';
import { newestSnapshot, SnapshotFolder } from '../../state/snapshots/snapshotFolder.ts';
import type { Config } from '../config/config.ts';
import { type LeaderTask, startLeaderTask } from './leaderTask.ts';
import { readPrices } from './pricesFile.ts';
import { reportText } from './reportText.ts';
import { openStore, type Store } from './store.ts';

export interface ServiceIo {
  /** Writes one line for the operator. */
  readonly say: (line: string) => void;
  /** The service can do no more; told once. */
  readonly onFatal: (error: Error) => void;
}

/** What every other part stands on: what outlives the process, and what is folded from it. */
export interface Foundation {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly store: Store;
  readonly hot: HotRunner;
  /** Of the hot state; not started yet. */
  readonly snapshots: SnapshotKeeper;
  readonly handle: HandleCommand;
  /** With which costs are counted. */
  readonly prices: PriceTable;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly say: (line: string) => void;
  /** Says what nobody expected. */
  readonly report: (error: unknown) => void;
  /** Of what the service does by itself. */
  readonly because: (reason: string) => Cause;
  /** Begins work that one node does for all; see `startSoleWork`. */
  readonly startSoleWork: (name: string, work: (tenure: LeaseTerm) => Promise<void>) => LeaderTask;
  /** By name, whatever was begun. */
  readonly soleWorks: ReadonlyMap<string, LeaderTask>;
  close(): Promise<void>;
}

/** Resolves when this node has folded the whole log. @throws when it cannot, with what to do */
export async function openFoundation(config: Config, { say, onFatal }: ServiceIo): Promise<Foundation> {
  const now = () => instant(Date.now());
  const report = (error: unknown) => say(reportText(error));
  const prices = readPrices(config.SVC_PRICES_FILE);
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  const store = await openStore(config, folder, { say, report });
  const snapshotFolder = new SnapshotFolder(folder.file('snapshots'));
  const snapshot = await newestSnapshot(snapshotFolder, store.log, say);
  const fold = snapshot ? foldFrom(snapshot.data) : emptyFold();
  await foldFile(fold, store.logPath, await store.log.head());
  const hot = await startHotRunner(store.log, onFatal, fold);
  const snapshots = keepSnapshots({
    hot,
    logPath: store.logPath,
    folder: snapshotFolder,
    isBegunFromSnapshot: snapshot !== undefined,
    onRefuted: onFatal,
    say,
  });
  const soleWorks = new Map<string, LeaderTask>();
  return {
    config,
    folder,
    store,
    hot,
    snapshots,
    handle: createCommandHandler({ log: store.log, hot, now }),
    prices,
    now,
    newId: randomUUID,
    say,
    report,
    because: (reason) => ({ actor: { kind: 'system', reason }, correlationId: randomUUID() }),
    startSoleWork(name, work) {
      const soleWork = startLeaderTask(name, work, { store, folder, report });
      soleWorks.set(name, soleWork);
      return soleWork;
    },
    soleWorks,
    async close() {
      await snapshots.stop();
      hot.stop();
      await store.close();
      folder.close();
    },
  };
}
