/** How often the number of events is looked at. */
const STEP_MS = 200;
/** The longest wait. Queries do not wait, as they project what they need. */
const MAX_MS = 1_000;
/**
 * What a batch costs beside its events, some 4 ms of CPU, is then a fifth of it. More would make the first query of a loaded service wait
 * for longer, as it projects them (docs/decisions/0136-events-are-gathered-by-the-thousand.md).
 */
const MANY_EVENTS = 1_000;

export interface GatherOptions {
  /** Events that are not projected yet; undefined ends the wait. */
  readonly pending: () => number | undefined;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** Resolves when a batch of events is worth its cost, or after a second. */
export async function gatherEvents({ pending, wait }: GatherOptions): Promise<void> {
  for (let waited = 0; waited < MAX_MS; waited += STEP_MS) {
    await wait(STEP_MS);
    const events = pending();
    if (events === undefined || events >= MANY_EVENTS) return;
  }
}
