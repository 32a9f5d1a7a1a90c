import { MessageChannel } from 'node:worker_threads';
import { Channel, type NotificationHandlers } from '../../../lib/threads/channel.ts';
import { startThread, type Thread } from '../../../lib/threads/startThread.ts';
import { transfer } from '../../../lib/threads/transfer.ts';
import type { MirrorEndpoint, MirrorOwner, MirrorThread } from './mirrorProtocol.ts';

export interface MirrorConnection {
  readonly channel: Channel<MirrorEndpoint, MirrorOwner>;
  /** Need not be called when the thread has ended. */
  close(): void;
}

const WORKER = new URL('./mirrorWorker.ts', import.meta.url);
/** With the default, V8 lets the garbage of a first start grow to 112 MB instead of 32 MB. */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };
let thread: Thread<MirrorThread> | undefined;
const errorListeners = new Set<(error: Error) => void>();

/**
 * Connects to the mirror thread of this process, which is started when it is first needed and keeps no process alive.
 * The channel closes when the thread ends.
 * @param onThreadError called when an error ends the thread
 */
export function connectMirror(
  handlers: NotificationHandlers<MirrorOwner['notifications']>,
  onThreadError: (error: Error) => void,
): MirrorConnection {
  thread ??= startThread<MirrorThread>(WORKER, {
    name: 'event store mirror',
    resourceLimits,
    keepsProcessAlive: false,
    restart: 'with the next message',
    onEnd(error) {
      if (error) for (const listener of errorListeners) listener(error);
      errorListeners.clear();
    },
  });
  errorListeners.add(onThreadError);
  const { port1, port2 } = new MessageChannel();
  const channel = new Channel<MirrorEndpoint, MirrorOwner>(port1);
  channel.receive({}, handlers);
  thread.notify('serve', transfer(port2, [port2]));
  return {
    channel,
    close() {
      errorListeners.delete(onThreadError);
      port1.close();
    },
  };
}
