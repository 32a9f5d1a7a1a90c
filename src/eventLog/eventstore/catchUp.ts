import type { Connection } from './client/connection.ts';
import { NotCaughtUp } from './client/failures.ts';
import { headOf } from './client/reads.ts';
import type { Mirror } from './mirror/mirror.ts';

/**
 * Waits until the mirror holds everything that stands in the store at the time of the call, whoever wrote it.
 * @throws NotCaughtUp, or why the store cannot be asked
 */
export type CatchUp = () => Promise<void>;

const ASK_MS = 5_000;
const FOLLOW_MS = 5_000;

/** Who asks while an answer is on its way to others gets the next one. */
export function createCatchUp(connection: Connection, mirror: Mirror): CatchUp {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function run(): Promise<void> {
    const head = await connection.call(headOf, ASK_MS);
    if (head && !(await mirror.waitUntilSeen(head, FOLLOW_MS))) throw new NotCaughtUp();
  }

  function start(): Promise<void> {
    underWay = run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return () => {
    if (!underWay) return start();
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
