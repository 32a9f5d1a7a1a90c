import { constants, setPriority } from 'node:os';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { FilePast } from '../../state/past/filePast.ts';
import { MomentArchived } from '../../state/past/past.ts';
import { BlameEventsOfFile } from '../blame/blameEvents.ts';
import { explainFrom } from '../explain/explainFromLog.ts';
import type { Explained, ReadingThread } from './readingThread.ts';

// Program of a thread that reads the log beside the requests of a service: some questions need thousands of events of it.

/** Later, newer snapshots are nearer to what is asked for. */
const MAX_AGE_MS = 60_000;

// On Linux a priority is that of a thread.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

await serveThread<ReadingThread>((options) => {
  const events = new BlameEventsOfFile(options.location);
  let opened: { readonly past: FilePast; readonly at: number } | undefined;
  /** One at a time: each changes what the next one continues from. */
  let last: Promise<unknown> = Promise.resolve();

  function past(): FilePast {
    if (opened && performance.now() - opened.at > MAX_AGE_MS) {
      opened.past.close();
      opened = undefined;
    }
    opened ??= { past: new FilePast(options), at: performance.now() };
    return opened.past;
  }

  async function explain(requestId: string, position: number): Promise<Explained> {
    try {
      return { explanation: await explainFrom(past(), options.location, requestId, position) };
    } catch (error) {
      if (!(error instanceof MomentArchived)) throw error;
      const { position: at, day, file } = error;
      return { explanation: undefined, archived: { position: at, day, file } };
    }
  }

  return {
    requests: {
      explain({ requestId, position }) {
        const explained = last.then(() => explain(requestId, position));
        last = explained.catch(() => undefined);
        return explained;
      },
      blamePage: async ({ stream, fromRevision, upTo }) => [...(await events.page(stream, fromRevision, upTo))],
      blameLast: ({ derivation, id, upTo }) => events.last(derivation, id, upTo),
    },
    stop() {
      opened?.past.close();
      events.close();
    },
  };
});
