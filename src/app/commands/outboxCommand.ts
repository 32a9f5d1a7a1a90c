import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { instant, iso } from '../../domain/core/brands.ts';
import { exportParked, removeParked } from '../../eventLog/outbox/exportParked.ts';
import { listParked } from '../../eventLog/outbox/parkedEvents.ts';
import { retryParked } from '../../eventLog/outbox/retryParked.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import type { Config } from '../config/config.ts';

/** The data folder has no outbox. */
export class NoOutbox extends Error {
  override readonly name = 'NoOutbox';
  constructor(folder: string) {
    super(`There is no outbox in ${folder}: set SVC_DATA_DIR to the data folder of a node with EventStoreDB.`);
  }
}

interface CommandOptions {
  readonly config: Pick<Config, 'SVC_DATA_DIR' | 'SVC_NODE_ID'>;
  readonly print: (line: string) => void;
}

function outboxPath({ SVC_DATA_DIR }: CommandOptions['config']): string {
  const folder = resolve(SVC_DATA_DIR);
  const path = join(folder, 'outbox.sqlite');
  if (!existsSync(path)) throw new NoOutbox(folder);
  return path;
}

/** `svc outbox list`: prints a line per parked event. Works beside the service. @throws NoOutbox */
export function listOutbox({ config, print }: CommandOptions): void {
  const database = openForReading(outboxPath(config));
  try {
    let count = 0;
    for (const { stream, id, type, bytes, reason, parkedAt } of listParked(database)) {
      count += 1;
      print(`${iso(instant(parkedAt))}  ${id}  ${type}  ${bytes} bytes  ${stream}  ${reason}`);
    }
    print(count === 0 ? 'No event is parked.' : `${counted(count)} parked.`);
  } finally {
    database.close();
  }
}

/**
 * `svc outbox retry`: puts parked events back to be drained.
 * @param ids of the events; all when empty
 * @throws NoOutbox | DataFolderInUse
 */
export function retryOutbox(ids: readonly string[], { config, print }: CommandOptions): void {
  const path = outboxPath(config);
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  try {
    const { retried, skipped } = retryParked({ path, node: folder.node, boot: folder.boot, ids });
    print(
      retried === 0
        ? 'No event was put back.'
        : `${retried === 1 ? '1 event is' : `${retried} events are`} drained at the next start.`,
    );
    if (skipped > 0) {
      print(
        `${counted(skipped)} left parked: beginnings of sessions and requests, and cool-downs, which may be over. To remove them: ` +
          'svc outbox export FILE --remove.',
      );
    }
  } finally {
    folder.close();
  }
}

/**
 * `svc outbox export`: writes the parked events to a file.
 * @param removes takes them out of the outbox, too; the service must be stopped
 * @throws NoOutbox | DataFolderInUse | CannotWriteFile, and the error of the file system
 */
export async function exportOutbox(file: string, removes: boolean, { config, print }: CommandOptions): Promise<void> {
  const path = outboxPath(config);
  if (!removes) {
    print(`${counted((await exportParked(path, file)).length)} in ${file}.`);
    return;
  }
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  try {
    const positions = await exportParked(path, file);
    removeParked(path, positions);
    print(`${counted(positions.length)} in ${file} and no longer in the outbox.`);
  } finally {
    folder.close();
  }
}

const counted = (count: number): string => (count === 1 ? '1 event is' : `${count} events are`);
