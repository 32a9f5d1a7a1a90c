import type { ReadModels } from '../../readModels/readModels.ts';
import { createSqliteReadModels } from '../../readModels/sqlite/sqliteReadModels.ts';
import type { Foundation } from './foundation.ts';

/** The read models that the configuration names, following the log. @throws when they can never be used, with what to do */
export async function openReadModels(foundation: Foundation): Promise<ReadModels> {
  const { config, folder, store, hot, report } = foundation;
  const readModels =
    config.SVC_MONGODB_URL === undefined
      ? createSqliteReadModels({ folder: folder.path, logPath: store.logPath, onFailure: report })
      : await openShared(config.SVC_MONGODB_URL, foundation);
  hot.onFolded(({ position }) => readModels.notify(position));
  readModels.notify(hot.state.position);
  return readModels;
}

/** One node makes them for all that share the store of events; every node answers from them. */
async function openShared(url: string, { store, say, startSoleWork }: Foundation): Promise<ReadModels> {
  // The driver is only for those who use it.
  const { createMongoReadModels } = await import('../../readModels/mongo/mongoReadModels.ts');
  const mongo = createMongoReadModels({
    url,
    logPath: store.logPath,
    isCopy: store.name === 'eventstore',
    // Epochs of one lease say nothing to those of another: an embedded log may have become one in EventStoreDB.
    fencedBy: store.leases ? 'EventStoreDB' : 'embedded log',
    report: say,
  });
  const projecting = startSoleWork('read-models', mongo.project);
  return {
    ...mongo,
    async close() {
      await Promise.all([projecting.stop(), mongo.close()]);
    },
  };
}
