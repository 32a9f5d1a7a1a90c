import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { type FoundRequests, findRequests } from '../../readModels/sqlite/findRequest.ts';

/**
 * Where the events of requests may be by the read models beside the log, so that a bundle of them needs no pass over all events.
 * The log decides: each request must have its end at one of the positions.
 * @param path of `readmodels.sqlite`
 * @param temporary a folder for a copy
 * @returns undefined when the read models are missing, damaged, of another version, or do not have one of the requests
 */
export function requestPositions(
  path: string,
  log: DatabaseSync,
  requestIds: readonly string[],
  temporary: string,
): FoundRequests | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const database = openForReading(untouchedFile(path, temporary).location);
    try {
      const found = findRequests(database, requestIds);
      return found && requestIds.every((id) => hasEnd(log, found.positions, id)) ? found : undefined;
    } finally {
      database.close();
    }
  } catch {
    // A derived file: whatever is wrong with it, the log has all.
    return undefined;
  }
}

/** Whether a log has the end of a request at one of these positions. */
export function hasEnd(log: DatabaseSync, positions: readonly number[], requestId: string): boolean {
  const statement = log.prepare(
    "SELECT data ->> '$.requestId' AS id FROM events WHERE position = ? AND type IN ('RequestCompleted', 'RequestRefused')",
  );
  return positions.some((position) => statement.get(position)?.id === requestId);
}
