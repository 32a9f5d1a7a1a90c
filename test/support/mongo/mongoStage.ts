import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Position } from '../../../src/domain/core/brands.ts';
import { archivePathOf } from '../../../src/eventLog/archive/archiveFile.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import { Generations } from '../../../src/readModels/mongo/generations.ts';
import { openLogReader } from '../../../src/readModels/mongo/logReader.ts';
import { createMongoStore, type MongoStoreOptions } from '../../../src/readModels/mongo/mongoStore.ts';
import { portsOver } from '../../../src/readModels/readModels.ts';
import { permanentLeaseTerm } from '../../../src/state/leases/leaseTerm.ts';
import { appendingTo } from '../../contract/readModels/appending.ts';
import { archivingOf } from '../../contract/readModels/archiving.ts';
import { tempFolder } from '../../contract/tempFolder.ts';
import type { MongoServer } from './mongoServer.ts';

const POLL_MS = 10;

export type MongoStage = Awaited<ReturnType<typeof mongoStage>>;

/** A log, a database, and any number of nodes that make read models of the one in the other. */
export async function mongoStage(server: MongoServer, url = server.newDatabase()) {
  const folder = await tempFolder();
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test', archivePath: archivePathOf(logPath) });
  const client = new MongoClient(url);
  const db = client.db();
  const generations = new Generations(db);
  const ends: (() => Promise<void>)[] = [];

  /** Resolves when the read models reach a position. Has no timeout: on a loaded machine this takes long. */
  async function reached(position: Position): Promise<void> {
    while (((await generations.mark(await generations.active()))?.position ?? 0) < position) await wait(POLL_MS);
  }

  /** Starts a node that answers queries and, unless `isIdle`, updates the read models. */
  function node(options: Partial<MongoStoreOptions & { isIdle: boolean }> = {}) {
    const source = openLogReader(logPath);
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const store = createMongoStore({ url, log: source, fencedBy: 'test', report, ...options });
    const projecting = options.isIdle ? undefined : store.project(permanentLeaseTerm());
    let ending: Promise<void> | undefined;
    const close = () => {
      ending ??= store.close().then(async () => {
        await projecting;
        source.close();
      });
      return ending;
    };
    ends.push(close);
    return { ...store, ...portsOver(store.query), reported: lines, close };
  }

  return {
    url,
    log,
    logPath,
    db,
    generations,
    node,
    reached,
    append: appendingTo(log),
    archive: archivingOf(log, logPath, () => undefined),
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      await client.close();
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
