import { soleTenure } from '../projecting/tenure.ts';
import { createMongoReadModels } from '../readModels/mongo/mongoReadModels.ts';
import type { ReadModels } from '../readModels/readModels.ts';
import { createSqliteReadModels } from '../readModels/sqlite/sqliteReadModels.ts';
import type { Foundation } from './foundation.ts';

/** The read models that the configuration names, following the log. @throws when they can never be used, with what to do */
export function openReadModels({ config, folder, store, hot, say, report }: Foundation): ReadModels {
  const { logPath } = store;
  const mongo =
    config.SVC_MONGODB_URL === undefined
      ? undefined
      : createMongoReadModels({ url: config.SVC_MONGODB_URL, logPath, fencedBy: 'embedded log', say });
  const readModels = mongo ?? createSqliteReadModels({ folder: folder.path, logPath, onTrouble: report });
  void mongo?.project(soleTenure());
  hot.onFolded(({ position }) => readModels.notify(position));
  readModels.notify(hot.state.position);
  return readModels;
}
