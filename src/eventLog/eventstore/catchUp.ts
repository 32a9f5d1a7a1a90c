import type { Connection } from './client/connection.ts';
import { MirrorBehind } from './client/failures.ts';
import { readHead } from './client/reads.ts';
import type { Mirror } from './mirror/mirror.ts';

/**
 * Waits until the mirror contains all events, of all nodes, that are in the store at the time of the call.
 * @throws MirrorBehind, or the error of the store when it is unreachable
 */
export type CatchUp = () => Promise<void>;

const HEAD_TIMEOUT_MS = 5_000;
const MIRROR_TIMEOUT_MS = 5_000;

/** Concurrent calls share one request for the head; calls made while it is pending share the next request. */
export function createCatchUp(connection: Connection, mirror: Mirror): CatchUp {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function run(): Promise<void> {
    await connection.confirm();
    const head = await connection.call(readHead, HEAD_TIMEOUT_MS);
    if (head && !(await mirror.waitUntilSeen(head, MIRROR_TIMEOUT_MS))) throw new MirrorBehind();
  }

  function start(): Promise<void> {
    current = run().finally(() => {
      current = undefined;
    });
    return current;
  }

  return () => {
    if (!current) return start();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
