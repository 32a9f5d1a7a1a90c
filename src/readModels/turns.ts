import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can be interrupted wherever it yields, so that a thread does other work in between. */
export type Turns<Result> = Generator<undefined, Result, undefined>;

/** How long a turn may take, and one step of the work more. */
const MAX_TURN_MS = 10;

/** Does all of it at once. */
export function atOnce<Result>(turns: Turns<Result>): Result {
  for (;;) {
    const next = turns.next();
    if (next.done) return next.value;
  }
}

/**
 * Does the work in turns of some 10 ms.
 * @param between called after each turn; when it throws, the work ends
 */
export async function inTurns<Result>(turns: Turns<Result>, between: () => void): Promise<Result> {
  try {
    for (;;) {
      const end = performance.now() + MAX_TURN_MS;
      do {
        const next = turns.next();
        if (next.done) return next.value;
      } while (performance.now() < end);
      await nextTurn();
      between();
    }
  } finally {
    // Ends the statements that it reads from.
    turns.return(undefined as Result);
  }
}

/** Passes on rows, and yields in between and at the end: many short lists one after the other take long as well. */
export function* forEachInTurns<Row>(rows: Iterable<Row>, visit: (row: Row) => void, rowsOfTurn = 64): Turns<void> {
  let count = 0;
  for (const row of rows) {
    visit(row);
    if (++count % rowsOfTurn === 0) yield;
  }
  yield;
}
