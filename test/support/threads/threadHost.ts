import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { MessagePort } from 'node:worker_threads';

// Program of a worker thread that runs programs of the service, one after another (see keepThreads.ts).

export interface HostedRun {
  readonly program: string;
  readonly workerData: unknown;
  /** Takes the place of `parentPort`; closing it ends the run. */
  readonly port: MessagePort;
}

/** Sent when a run has ended. */
export const ENDED = 'ended';

// The bindings that modules import follow this object when they are synchronised.
const threads: { parentPort: MessagePort | null; workerData: unknown } = createRequire(import.meta.url)(
  'node:worker_threads',
);
const owner = threads.parentPort;
let runs = 0;

// Its owner imports this module, too.
owner?.on('message', ({ program, workerData, port }: HostedRun) => {
  threads.parentPort = port;
  threads.workerData = workerData;
  syncBuiltinESMExports();
  port.once('close', () => owner.postMessage(ENDED));
  // A query makes the program another module, which is evaluated again; what it imports is not.
  void import(`${program}?run=${++runs}`);
});
