import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves once every message that has arrived by now was handled. A reply that a thread has sent long ago waits here while
 * this thread is busy or its process was stopped: before that, nothing is late.
 */
export async function arrivedMessagesHandled(): Promise<void> {
  // The present turn may have taken its messages before; the next one takes all.
  await nextTurn();
  await nextTurn();
}
