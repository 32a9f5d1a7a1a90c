import { Session } from 'node:inspector/promises';

/** After fewer events that were read in one go, little garbage is left. */
export const MIN_EVENTS_FOR_COLLECTION = 20_000;

/**
 * Collects the garbage of this thread, which blocks it for a few milliseconds per 10 MB of live objects. For the end of work
 * that leaves much garbage and is not repeated: V8 collects only when more is allocated, and never returns the memory of a
 * thread that rests.
 *
 * Not by V8's option `--expose-gc`: to change an option while the process runs makes V8 refuse compiled code that was cached
 * under the others, here and at the next start.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
