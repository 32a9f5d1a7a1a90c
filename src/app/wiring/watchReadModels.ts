import type { Faults } from '../../lib/faults.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface WatchReadModelsOptions {
  readonly hot: { readonly state: Pick<HotRunner['state'], 'position'> };
  readonly progress: ProgressQueries;
  readonly faults: Faults;
  readonly everyMs?: number;
}

const CODE = 'read_models_behind';
const EVERY_MS = 30_000;

/** Keeps a fault while the read models lack events that are older than the interval. @returns a function that stops it */
export function watchReadModels({ hot, progress, faults, everyMs = EVERY_MS }: WatchReadModelsOptions): () => void {
  let before = hot.state.position;
  let isStopped = false;

  async function check(): Promise<void> {
    const expected = before;
    before = hot.state.position;
    const reached = await progress.reached(expected).catch((error: Error) => error);
    if (isStopped) return;
    if (!(reached instanceof Error) && reached >= expected) {
      faults.clear(CODE, undefined, 'Request log, usage and history are complete again.');
      return;
    }
    const state = reached instanceof Error ? `cannot be read: ${reached.message}` : `lack ${expected - reached} events`;
    faults.raise({
      code: CODE,
      cause: `Request log, usage and history ${state}. Model requests and limits are not affected.`,
      remedy: 'They catch up by themselves; if it lasts, check the disk, or the read models in MongoDB.',
    });
  }

  const timer = setInterval(() => void check(), everyMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
