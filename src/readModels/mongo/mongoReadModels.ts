import { Worker } from 'node:worker_threads';
import { type Position, position } from '../../domain/core/brands.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { type Ask, portsOver, type ReadModels } from '../readModels.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import { connect } from './connection.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './readModelsProtocol.ts';

export interface MongoReadModelsOptions {
  /** As in `SVC_MONGODB_URL`; its database is `svc` where it names none. */
  readonly url: string;
  /** The file of the embedded log, or of the copy that this node keeps of EventStoreDB. */
  readonly logPath: string;
  /** The file is a copy: it may be behind what other nodes made the read models from. */
  readonly isCopy: boolean;
  /** Names whoever gives out tenures: epochs of one are of no meaning to another. */
  readonly fencedBy: string;
  /** Takes one line for the operator: each attempt to reach MongoDB that failed, and that it answers again. */
  readonly say: (line: string) => void;
}

export interface MongoReadModels extends ReadModels {
  /** Makes the read models for as long as the tenure lasts. One node does so at a time; all of them answer queries. */
  project(tenure: LeaseTerm): Promise<void>;
}

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Projecting {
  readonly tenure: LeaseTerm;
  readonly end: () => void;
}

const RESTART_MS = 1_000;
/** A write that MongoDB does not answer is left to itself when the service ends. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * Read models in MongoDB, made and asked in a thread of their own: requests pay nothing for them. MongoDB may be away at any
 * time, also at the start; whatever needs it fails with `ReadModelUnavailable` until it answers.
 * @throws Error for a URL that cannot be used
 */
export function createMongoReadModels({
  url,
  logPath,
  isCopy,
  fencedBy,
  say,
}: MongoReadModelsOptions): MongoReadModels {
  void connect(url).close();
  const workerData: WorkerOptions = { url, fencedBy, logPath, isCopy };
  const pending = new Map<number, Pending>();
  const projecting = new Map<number, Projecting>();
  let nextId = 1;
  let isClosed = false;
  let announced: Position = position(0);
  let told: Position = position(0);
  let isTelling = false;
  let isRunning = false;
  let worker = start();

  function start(): Worker {
    const started = new Worker(new URL('./readModelsWorker.ts', import.meta.url), { workerData });
    started.on('message', onMessage);
    started.on('error', (error) => say(`The read models stopped: ${error.message}`));
    started.on('exit', onExit);
    isRunning = true;
    return started;
  }

  function onExit(): void {
    isRunning = false;
    for (const { reject } of pending.values()) reject(new ReadModelUnavailable('the read models have stopped'));
    pending.clear();
    if (isClosed) {
      for (const { end } of projecting.values()) end();
      return;
    }
    isTelling = false;
    setTimeout(() => {
      if (isClosed) return;
      worker = start();
      for (const [id, { tenure }] of projecting) tell({ kind: 'tenure', id, epoch: tenure.epoch });
    }, RESTART_MS).unref();
  }

  const tell = (message: ToWorker) => worker.postMessage(message);

  function tellNews(): void {
    isTelling = true;
    told = announced;
    tell({ kind: 'news' });
  }

  function onMessage(message: FromWorker): void {
    switch (message.kind) {
      case 'newsTaken':
        isTelling = false;
        if (announced > told && !isClosed) tellNews();
        return;
      case 'answer':
        taken(message.id)?.resolve(message.answer);
        return;
      case 'failed':
        taken(message.id)?.reject(new ReadModelUnavailable(message.trouble));
        return;
      case 'projected':
        projecting.get(message.id)?.end();
        return;
      case 'say':
        say(message.line);
    }
  }

  function taken(id: number): Pending | undefined {
    const query = pending.get(id);
    pending.delete(id);
    return query;
  }

  const ask: Ask = (port, name, args, minPosition) =>
    new Promise((resolve, reject) => {
      if (isClosed || !isRunning) throw new ReadModelUnavailable('the read models have stopped');
      const id = nextId++;
      pending.set(id, { resolve, reject });
      tell({ kind: 'query', id, port, name, args, minPosition });
    });

  return {
    ...portsOver(ask),
    notify(at) {
      announced = at;
      if (!isTelling && isRunning && !isClosed) tellNews();
    },
    project: (tenure) =>
      new Promise((resolve) => {
        const id = nextId++;
        const onOver = () => tell({ kind: 'tenureOver', id });
        const end = () => {
          tenure.signal.removeEventListener('abort', onOver);
          projecting.delete(id);
          resolve();
        };
        if (tenure.signal.aborted || isClosed) return resolve();
        projecting.set(id, { tenure, end });
        tenure.signal.addEventListener('abort', onOver, { once: true });
        if (isRunning) tell({ kind: 'tenure', id, epoch: tenure.epoch });
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (!isRunning) return onExit();
      const exited = new Promise((resolve) => worker.once('exit', resolve));
      tell({ kind: 'close' });
      const tooLate = setTimeout(() => void worker.terminate(), CLOSE_WITHIN_MS);
      await exited;
      clearTimeout(tooLate);
    },
  };
}
