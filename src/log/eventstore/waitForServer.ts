import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { wording } from './failures.ts';
import type { NativePosition } from './nativePosition.ts';
import { headOf } from './reads.ts';
import { refuseOldServer } from './serverVersion.ts';

export interface WaitForServerOptions {
  readonly connection: Connection;
  /** The nodes, for the lines. */
  readonly hosts: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly firstPauseMs?: number;
}

const CALL_MS = 5_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Waits until the server answers and lets us read, with a line for each attempt: in a compose file everything starts at
 * once.
 * @returns where `$all` ends
 * @throws ServerTooOld
 */
export async function waitForServer(options: WaitForServerOptions): Promise<NativePosition | undefined> {
  const { connection, hosts, say, signal, firstPauseMs = 1_000 } = options;
  let pauseMs = firstPauseMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      refuseOldServer(await connection.call((client) => client.serverVersion(CALL_MS), CALL_MS).catch(asOldVersion));
      return await connection.call(headOf, CALL_MS);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'SERVER_TOO_OLD') throw error;
      signal.throwIfAborted();
      say(
        `EventStoreDB at ${hosts} cannot be used yet (attempt ${attempt}, next in ${pauseMs / 1_000} s): ${wording(error)}`,
      );
    }
    await delay(pauseMs, undefined, { signal });
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

const UNIMPLEMENTED = 12;

/** Servers before 21.10 cannot say what they are. */
function asOldVersion(error: unknown): string {
  if ((error as { code?: unknown }).code === UNIMPLEMENTED) return '20.0';
  throw error;
}
