/**
 * Many events are projected five times a second: a batch of hundreds costs little more than one of ten. After a longer wait, projecting
 * under load takes a core for so long that requests queue.
 */
const STEP_MS = 200;
/**
 * Few events are waited for up to a second: what a batch writes beside its events costs as much as ten of them. Queries do not wait, as
 * they project what they need (docs/decisions/0122-few-events-are-gathered-longer.md).
 */
const MAX_MS = 1_000;
const FEW_EVENTS = 64;

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
    if (events === undefined || events >= FEW_EVENTS) return;
  }
}
