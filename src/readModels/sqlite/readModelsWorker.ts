import { renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { remedyWhileRunning } from '../../dataFolder/fileErrors.ts';
import { damagedFile, describeOpening } from '../../dataFolder/openDatabase.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { type FileGuard, guardFile } from '../../eventLog/sqlite/fileGuard.ts';
import { collectGarbage, MIN_EVENTS_FOR_COLLECTION } from '../../lib/collectGarbage.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { transfer } from '../../lib/threads/transfer.ts';
import { type Breakdown, type BreakdownRequest, isCancelled } from '../figuresQueries.ts';
import type { Query } from '../queryThread.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import { inTurns } from '../turns.ts';
import { gatherEvents } from './gatherEvents.ts';
import { LogReader } from './logReader.ts';
import { Projector } from './projector.ts';
import { createQueryHandlers } from './queryHandlers.ts';
import { openReadModelFile, removeReadModelFile } from './readModelFile.ts';
import type { ReadModelsThread, RemadeBecause } from './readModelsProtocol.ts';
import { SnapshotReader } from './snapshotReader.ts';

// Program of the thread that projects the log's file into read models and queries them.

const END_OF_LOG = position(Number.MAX_SAFE_INTEGER);
/** How often the files of the archive and of the read models are looked at while nothing happens. */
const CHECK_MS = 1_000;
/** How long a query waits for its `minPosition`; after that it runs on what has been projected. */
const MAX_WAIT_MS = 1_000;
const POLL_INTERVAL_MS = 5;
/** How often a breakdown begins, at most, when the tables are made again meanwhile. */
const MAX_ATTEMPTS = 3;

/** The figures of a year by hours are eight megabytes. */
const listsOf = ({ steps }: Breakdown) => [steps.sums.buffer, steps.percentiles.buffer] as ArrayBuffer[];

function requireClient(request: BreakdownRequest): void {
  if (isCancelled(request)) throw new Error('The client has disconnected');
}

type BreakdownArgs = readonly [request: BreakdownRequest, asOf: Position | null];

interface Opened {
  readonly database: DatabaseSync;
  readonly projector: Projector;
  readonly guard: FileGuard;
}

await serveThread<ReadModelsThread>(({ path, logPath }, report) => {
  const log = new LogReader(logPath);
  const onBreak = (found: LogBreak) => report('broken', found);
  let { database, projector, guard } = open();
  const snapshots = new SnapshotReader(path);
  let isClosing = false;

  let isCatchingUp = false;
  const inTurn = createSemaphore(1);

  /** Projects what is new. One call at a time: making the tables again takes many turns, and two at once remove each other's file. */
  const catchUp = (): Promise<void> => inTurn(catchUpAlone);

  async function catchUpAlone(): Promise<void> {
    let failure: string | undefined;
    const { position: before } = projector;
    isCatchingUp = true;
    try {
      while (!isClosing && withRepair(() => projector.catchUp())) await nextTurn();
      if (!isClosing && projector.isOutdated()) await remake();
    } catch (error) {
      failure = (error as Error).message;
    } finally {
      isCatchingUp = false;
    }
    // Before the report, after which the tree is made: what catching up left behind would stay for as long as no event comes.
    if (!isClosing && projector.position - before >= MIN_EVENTS_FOR_COLLECTION) {
      database.exec('PRAGMA shrink_memory');
      await collectGarbage();
    }
    if (!isClosing) report('caughtUp', { position: projector.position, failure });
  }

  /** After a wait the log may be closed, or unreadable, which catching up reports. */
  function pending(): number | undefined {
    try {
      return isClosing ? undefined : log.lastUpTo(END_OF_LOG).position - projector.position;
    } catch {
      return undefined;
    }
  }

  async function query({ port, name, args, minPosition }: Query): Promise<unknown> {
    const deadline = performance.now() + MAX_WAIT_MS;
    while (projector.position < minPosition && performance.now() < deadline) {
      const hasMore = withRepair(() => projector.catchUp());
      if (projector.position >= minPosition) break;
      await (hasMore ? nextTurn() : delay(POLL_INTERVAL_MS));
      if (isClosing) throw new ReadModelUnavailable('the read models have stopped');
    }
    if (port === 'figures') return breakdown(...(args as BreakdownArgs));
    return withRepair(() => {
      const handlers = createQueryHandlers(database, projector, log)[port] as Record<
        string,
        (...args: readonly unknown[]) => unknown
      >;
      return handlers[name]?.(...args);
    });
  }

  /** In turns, between which the log is followed and other queries run. Starts again when the tables are made again meanwhile. */
  async function breakdown(request: BreakdownRequest, asOf: Position | null): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      let tables = projector.tables;
      const isReplaced = () => tables !== projector.tables;
      try {
        const result = await snapshots.read((snapshot) => {
          ({ tables } = projector);
          // It may have waited for others.
          requireClient(request);
          const turns = createQueryHandlers(database, projector, log).figures.breakdown(request, asOf, snapshot);
          return inTurns(turns, () => {
            if (isClosing) throw new ReadModelUnavailable('the read models have stopped');
            if (isReplaced()) throw new Error('The read models are being made again');
            requireClient(request);
          });
        });
        return transfer(result, listsOf(result));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || isClosing) throw error;
        if (damagedFile(error) === path) repair('damaged');
        else if (!isReplaced()) throw error;
      }
    }
  }

  function open(): Opened {
    let database: DatabaseSync | undefined;
    try {
      database = openReadModelFile(path, () => report('remaking', 'damaged'));
      return guarded(database);
    } catch (error) {
      database?.close();
      if (damagedFile(error) !== path) throw cannotOpen(error);
      return openFresh('damaged');
    }
  }

  function openFresh(reason: RemadeBecause): Opened {
    report('remaking', reason);
    removeReadModelFile(path);
    try {
      return guarded(openReadModelFile(path));
    } catch (error) {
      throw cannotOpen(error);
    }
  }

  function guarded(database: DatabaseSync): Opened {
    return { database, projector: new Projector(database, log, { onBreak }), guard: guardFile(database, path) };
  }

  /** The next message starts the thread again. */
  function cannotOpen(error: unknown): unknown {
    return describeOpening(error, path, () => remedyWhileRunning(error, 'svc tries again by itself.'));
  }

  /** After days were archived or restored: makes the tables again in another file, and serves from the present one meanwhile. */
  async function remake(): Promise<void> {
    const freshPath = `${path}.new`;
    removeReadModelFile(freshPath);
    const fresh = openReadModelFile(freshPath);
    try {
      const made = new Projector(fresh, log, { onBreak });
      while (!isClosing && (made.catchUp() || made.position < projector.position)) await nextTurn();
    } finally {
      fresh.close();
    }
    if (isClosing) return removeReadModelFile(freshPath);
    close();
    try {
      removeReadModelFile(path);
      renameSync(freshPath, path);
    } finally {
      // Also when a file cannot be replaced: queries need an open one.
      ({ database, projector, guard } = open());
    }
  }

  /** Makes a file again that turns out to be harmed. A damaged log is no reason to remove it. */
  function withRepair<Result>(work: () => Result): Result {
    repairHarm();
    try {
      return work();
    } catch (error) {
      if (damagedFile(error) !== path) throw error;
      repair('damaged');
      return work();
    }
  }

  /** @returns whether the file is made again */
  function repairHarm(): boolean {
    const harm = isClosing ? undefined : guard.check();
    if (harm) repair(harm);
    return harm !== undefined;
  }

  function repair(reason: RemadeBecause): void {
    close();
    ({ database, projector, guard } = openFresh(reason));
  }

  function close(): void {
    snapshots.close();
    guard.close();
    database.close();
  }

  // A day is archived or restored shortly after the event that says so, and there may be no event after that.
  let archiveChanged = log.archive.changedAt();
  const checking = setInterval(() => {
    if (isCatchingUp) return;
    const changedAt = log.archive.changedAt();
    if (!repairHarm() && changedAt === archiveChanged) return;
    archiveChanged = changedAt;
    void catchUp();
  }, CHECK_MS).unref();

  void catchUp();
  return {
    requests: { query },
    notifications: {
      async logAdvanced() {
        await gatherEvents({ pending, wait: (ms) => delay(ms, undefined, { ref: false }) });
        await catchUp();
      },
    },
    stop() {
      isClosing = true;
      clearInterval(checking);
      close();
      log.close();
    },
  };
});
