import { startThread } from '../lib/threads/startThread.ts';
import type { SealDay } from './archiveOptions.ts';
import type { SealThread } from './sealProtocol.ts';

const WORKER = new URL('./sealWorker.ts', import.meta.url);

/** Seals days in a thread of low priority; an abort ends it at once. */
export function sealInThread(
  options: SealThread['options'],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number, of: number) => void },
): SealDay {
  return async (day) => {
    const thread = startThread<SealThread>(WORKER, {
      name: 'archive',
      options: () => options,
      reports: { progress: ({ done, of }) => onProgress(done, of) },
    });
    const end = () => void thread.terminate();
    signal.addEventListener('abort', end);
    try {
      return await thread.request('seal', day);
    } finally {
      signal.removeEventListener('abort', end);
      await thread.terminate();
    }
  };
}
