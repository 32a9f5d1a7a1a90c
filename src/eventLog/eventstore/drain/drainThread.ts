import { Worker } from 'node:worker_threads';
import { position } from '../../../domain/core/brands.ts';
import type { Drainer, DrainListener } from '../../outbox/drainer.ts';
import type { DrainOrder, FromDrain, ToDrain } from './drainProtocol.ts';

export interface DrainThreadOptions extends DrainListener, Omit<DrainOrder, 'after'> {}

const RESTART_MS = 1_000;
/** The drainer pauses as long between appends: news in between would wake its thread for nothing, which costs requests. */
const NEWS_EVERY_MS = 20;
/** Beyond its patience, for letting go of the connection. */
const LEAVING_MS = 2_000;

/** A drainer in a thread of its own, over a connection of its own. A thread that dies is replaced and goes on. */
export function startDrainThread({ path, settings, onDrained, report }: DrainThreadOptions): Drainer {
  let after = position(0);
  let trouble: string | undefined;
  let isStopping = false;
  let restarting: NodeJS.Timeout | undefined;
  let untilNews: NodeJS.Timeout | undefined;
  let hasNews = false;

  function onMessage(message: FromDrain): void {
    switch (message.kind) {
      case 'drained':
        after = message.position;
        onDrained(message);
        return;
      case 'held':
        trouble = message.message;
        report(Object.assign(new Error(message.message), { name: message.name }));
        return;
      case 'released':
        trouble = undefined;
        report(message.message);
    }
  }

  function start(): Worker {
    const workerData: DrainOrder = { path, settings, after };
    const started = new Worker(new URL('./drainWorker.ts', import.meta.url), { workerData });
    started.unref();
    started.on('message', onMessage);
    started.on('error', (error) => report(new Error(`the thread that drains the outbox ended: ${error.message}`)));
    started.once('exit', () => {
      if (isStopping) return;
      restarting = setTimeout(() => {
        worker = start();
      }, RESTART_MS).unref();
    });
    return started;
  }

  let worker = start();
  const tell = (message: ToDrain): void => worker.postMessage(message);

  function wake(): void {
    hasNews = untilNews !== undefined;
    if (hasNews) return;
    tell({ kind: 'news' });
    untilNews = setTimeout(() => {
      untilNews = undefined;
      if (hasNews) wake();
    }, NEWS_EVERY_MS).unref();
  }

  return {
    wake,
    get trouble() {
      return trouble;
    },
    async stop(patienceMs) {
      isStopping = true;
      clearTimeout(restarting);
      clearTimeout(untilNews);
      if (worker.threadId === -1) return;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      tell({ kind: 'stop', patienceMs });
      const patience = setTimeout(() => void worker.terminate(), patienceMs + LEAVING_MS);
      await ended;
      clearTimeout(patience);
    },
  };
}
