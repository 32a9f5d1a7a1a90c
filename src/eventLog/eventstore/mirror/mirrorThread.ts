import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { MirrorOrder, MirrorSettings } from './mirrorProtocol.ts';

let thread: Worker | undefined;

/**
 * Has a mirror kept by the thread of this process, which is started when it is first needed and keeps no process alive.
 * @returns a port that tells of the mirror; it closes when the mirror has ended, also when the thread died
 */
export function keepMirror(settings: MirrorSettings, onThreadError: (error: Error) => void): MessagePort {
  thread ??= startThread();
  thread.once('error', onThreadError);
  const { port1, port2 } = new MessageChannel();
  port1.once('close', () => thread?.off('error', onThreadError));
  thread.postMessage({ ...settings, port: port2 } satisfies MirrorOrder, [port2]);
  return port1;
}

function startThread(): Worker {
  const started = new Worker(new URL('./mirrorWorker.ts', import.meta.url));
  started.unref();
  started.once('exit', () => {
    if (thread === started) thread = undefined;
  });
  return started;
}
