import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { hasEnd, requestPositions } from '../../evidence/make/requestPositions.ts';

/**
 * Position of the end of a request by the read models beside a log, so that a long log is not searched for it.
 * @param path of `readmodels.sqlite`
 * @param location the log's file, as SQLite opens it: it must have the end there
 * @returns undefined when the read models are missing or behind, or do not have the request
 */
export function endByReadModels(path: string, location: string, requestId: string): number | undefined {
  const temporary = mkdtempSync(join(tmpdir(), 'svc-read-'));
  const log = openForReading(location);
  try {
    const found = requestPositions(path, log, [requestId], temporary);
    return found?.positions.toSorted((a, b) => b - a).find((position) => hasEnd(log, [position], requestId));
  } finally {
    log.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}
