import type { Connection } from './connection.ts';
import type { NativePosition } from './nativePosition.ts';
import { readHead } from './reads.ts';
import { refuseOldServer } from './serverVersion.ts';
import type { StartupRetry } from './startupRetry.ts';

const CALL_MS = 5_000;

/**
 * Waits until the server responds and allows reading.
 * @returns the position of the last event in `$all`
 * @throws ServerTooOld
 */
export const waitForServer = (connection: Connection, retry: StartupRetry): Promise<NativePosition | undefined> =>
  retry(async () => {
    refuseOldServer(await connection.call((client) => client.serverVersion(CALL_MS), CALL_MS).catch(toOldVersion));
    return connection.call(readHead, CALL_MS);
  });

const UNIMPLEMENTED = 12;

/** Servers before 21.10 do not implement the call for their version. */
function toOldVersion(error: unknown): string {
  if ((error as { code?: unknown }).code === UNIMPLEMENTED) return '20.0';
  throw error;
}
