import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects the garbage of this thread now, which blocks it for a few milliseconds per 10 MB of live objects. For the end of
 * work that leaves much garbage and is not repeated: V8 collects only when more is allocated, and never returns the memory of
 * a thread that rests.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
