import { randomUUID } from 'node:crypto';
import { type DataFolder, openDataFolder } from '../../dataFolder/dataFolder.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { PriceTable } from '../../domain/pricing/prices.ts';
import { type Cause, createCommandHandler, type HandleCommand } from '../../state/commands/commandHandler.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import { foldFile } from '../../state/pages/foldFile.ts';
import { foldFrom } from '../../state/snapshots/foldData.ts';
import { keepSnapshots, type SnapshotKeeper } from '../../state/snapshots/keepSnapshots.ts';
import { newestSnapshot, SnapshotFolder } from '../../state/snapshots/snapshotFolder.ts';
import type { Config } from '../config/config.ts';
import { createLeaderTasks, type LeaderTasks } from './leaderTasks.ts';
import { openStore } from './openStore.ts';
import { readPrices } from './pricesFile.ts';
import { reportText } from './reportText.ts';
import type { Store } from './store.ts';

export interface ServiceIo {
  /** Writes one line for the operator. */
  readonly say: (line: string) => void;
  /** Called once, when the service cannot continue. */
  readonly onFatal: (error: Error) => void;
}

/** What every other part is built on: the store, the hot state that is folded from it, and the tools to change both. */
export interface Foundation {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly store: Store;
  readonly hot: HotRunner;
  /** Snapshots of the hot state; not started yet. */
  readonly snapshots: SnapshotKeeper;
  readonly handle: HandleCommand;
  /** Prices by which costs are counted. */
  readonly prices: PriceTable;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly say: (line: string) => void;
  /** Reports an unexpected error to the operator. */
  readonly report: (error: unknown) => void;
  /** The cause of commands that the service gives itself. */
  readonly systemCause: (reason: string) => Cause;
  /** Work that one node does for all. */
  readonly leaderTasks: LeaderTasks;
  close(): Promise<void>;
}

/** Resolves when this node has folded the whole log. @throws when a part cannot start, with what to do */
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
    isStartedFromSnapshot: snapshot !== undefined,
    onRefuted: onFatal,
    report: say,
  });
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
    systemCause: (reason) => ({ actor: { kind: 'system', reason }, correlationId: randomUUID() }),
    leaderTasks: createLeaderTasks({ store, folder, report }),
    async close() {
      await snapshots.stop();
      hot.stop();
      await store.close();
      folder.close();
    },
  };
}
