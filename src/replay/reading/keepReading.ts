import { startThread, type Thread } from '../../lib/threads/startThread.ts';
import type { FilePastOptions } from '../../state/past/filePast.ts';
import type { BlameEvents } from '../blame/blameEvents.ts';
import type { Explained, ReadingThread } from './readingThread.ts';

/** Questions about the log that are answered in a thread of their own, so that they delay no request. */
export interface Reading extends BlameEvents {
  /** Explains the request whose end is at a position. */
  explain(requestId: string, position: number): Promise<Explained>;
  close(): Promise<void>;
}

const WORKER = new URL('./readingWorker.ts', import.meta.url);
/** Without a question for so long, the thread ends: what it has read is then read again. */
const IDLE_MS = 60_000;

/** @param files of the log of a running service */
export function keepReading(files: FilePastOptions): Reading {
  let thread: Thread<ReadingThread> | undefined;
  let idle: NodeJS.Timeout | undefined;

  function running(): Thread<ReadingThread> {
    thread ??= startThread<ReadingThread>(WORKER, {
      name: 'reading',
      options: () => files,
      restart: 'with the next message',
      keepsProcessAlive: false,
    });
    clearTimeout(idle);
    idle = setTimeout(() => void end(), IDLE_MS).unref();
    return thread;
  }

  async function end(): Promise<void> {
    const ending = thread;
    thread = undefined;
    await ending?.stop();
  }

  return {
    explain: (requestId, position) => running().request('explain', { requestId, position }),
    page: (stream, fromRevision, upTo) => running().request('blamePage', { stream, fromRevision, upTo }),
    last: (derivation, id, upTo) => running().request('blameLast', { derivation, id, upTo }),
    async close() {
      clearTimeout(idle);
      await thread?.terminate();
      thread = undefined;
    },
  };
}
