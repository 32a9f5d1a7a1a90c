import { type LogBreak, logBroken } from '../../eventLog/continuity.ts';
import type { ReadModels } from '../../readModels/readModels.ts';
import type { RemadeBecause } from '../../readModels/sqlite/readModelsProtocol.ts';
import { createSqliteReadModels } from '../../readModels/sqlite/sqliteReadModels.ts';
import type { Foundation } from './foundation.ts';
import { watchReadModels } from './watchReadModels.ts';

/** Opens the configured read models, which then follow the log. @throws when they cannot be used, with what to do */
export async function openReadModels(foundation: Foundation): Promise<ReadModels> {
  const { config, folder, store, hot, report, faults } = foundation;
  const onBreak = (found: LogBreak) => faults.raise(logBroken(store.logPath, found));
  const readModels =
    config.SVC_MONGODB_URL === undefined
      ? createSqliteReadModels({
          folder: folder.path,
          logPath: store.logPath,
          onFailure: report,
          onRemaking: (reason) => reportRemaking(foundation, reason),
          onBreak,
        })
      : await openMongo(config.SVC_MONGODB_URL, foundation, onBreak);
  hot.onFolded(({ position }) => readModels.notify(position));
  readModels.notify(hot.state.position);
  const stopWatching = watchReadModels({ hot, progress: readModels.progress, faults });
  return {
    ...readModels,
    close() {
      stopWatching();
      return readModels.close();
    },
  };
}

const HARMS: Readonly<Record<RemadeBecause, string>> = {
  damaged: 'is damaged',
  deleted: 'or its -wal was deleted, moved or replaced while svc runs',
  cut: 'or its -wal was cut while svc runs',
};

function reportRemaking({ faults, folder }: Foundation, reason: RemadeBecause | undefined): void {
  const code = 'read_models_damaged';
  const path = folder.file('readmodels.sqlite');
  if (reason === undefined) {
    faults.clear(code, undefined, `${path} is complete again.`);
    return;
  }
  faults.raise({
    code,
    cause: `${path} ${HARMS[reason]}. It is removed and made again from the event log; request log, usage and history lack rows until then.`,
    remedy: 'You need not do anything. If it happens again, check the disk.',
  });
}

/** The leader updates them for all nodes; every node queries them. */
async function openMongo(
  url: string,
  { store, print, leaderTasks }: Foundation,
  onBreak: (found: LogBreak) => void,
): Promise<ReadModels> {
  // Imported on demand: only some installations use the driver.
  const { createMongoReadModels } = await import('../../readModels/mongo/mongoReadModels.ts');
  const mongo = createMongoReadModels({
    url,
    logPath: store.logPath,
    isCopy: store.name === 'eventstore',
    // Epochs of different leases are not comparable, and an embedded log may have been moved to EventStoreDB.
    fencedBy: store.leases ? 'EventStoreDB' : 'embedded log',
    report: (line) => print(line, { level: 'warn', code: 'read_models_interrupted' }),
    onBreak,
  });
  const projecting = leaderTasks.start('read-models', mongo.project);
  return {
    ...mongo,
    async close() {
      await Promise.all([projecting.stop(), mongo.close()]);
    },
  };
}
