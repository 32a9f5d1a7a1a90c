import { type Position, position } from '../../domain/core/brands.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import { sleep } from '../../lib/sleep.ts';
import { ThreadEnded } from '../../lib/threads/errors.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { queryOnThread } from '../queryThread.ts';
import { portsOver, type ReadModels } from '../readModels.ts';
import { connect } from './connection.ts';
import type { ReadModelsThread } from './readModelsProtocol.ts';

export interface MongoReadModelsOptions {
  /** As in `SVC_MONGODB_URL`; the database is `svc` when the URL names none. */
  readonly url: string;
  /** The file of the embedded log, or of this node's copy of EventStoreDB. */
  readonly logPath: string;
  /** Whether the file is a copy, which may be behind the log that other nodes projected. */
  readonly isCopy: boolean;
  /** Identifies the lease that the epochs belong to: epochs of different leases are not comparable. */
  readonly fencedBy: string;
  /** Called with lines for the operator: failed attempts to use MongoDB, and the recovery. */
  readonly report: (line: string) => void;
  /** Called with events that do not continue the log before them. */
  readonly onBreak?: (found: LogBreak) => void;
}

export interface MongoReadModels extends ReadModels {
  /** Projects the log into the read models during a lease term. One node does so at a time; all nodes run queries. */
  project(term: LeaseTerm): Promise<void>;
}

const WORKER = new URL('./readModelsWorker.ts', import.meta.url);
const RESTART_MS = 1_000;
const RETRY_MS = 100;
/** A write that MongoDB does not reply to is abandoned when the service ends. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Read models in MongoDB, projected and queried in a thread of their own, at no cost for requests. MongoDB may be unreachable
 * at any time, also at the start; queries fail with `ReadModelUnavailable` until it responds.
 * @throws Error for a URL that cannot be used
 */
export function createMongoReadModels({
  url,
  logPath,
  isCopy,
  fencedBy,
  report,
  onBreak,
}: MongoReadModelsOptions): MongoReadModels {
  void connect(url).close();
  let nextTermId = 1;
  let isClosed = false;
  let announced: Position = position(0);
  let sent: Position = position(0);
  let isSending = false;

  const thread = startThread<ReadModelsThread>(WORKER, {
    name: 'read models',
    options: () => ({ url, fencedBy, logPath, isCopy }),
    restart: { afterMs: RESTART_MS },
    onEnd(error) {
      isSending = false;
      if (error) report(`The read models stopped: ${error.message}`);
    },
    reports: {
      readyForMore() {
        isSending = false;
        if (announced > sent && !isClosed) sendAnnounced();
      },
      line: report,
      broken: (found) => onBreak?.(found),
    },
  });

  function sendAnnounced(): void {
    isSending = true;
    sent = announced;
    thread.notify('logAdvanced');
  }

  /** The thread projects the log until the term or the thread ends. */
  async function projectOnce({ epoch, signal }: LeaseTerm): Promise<'term ended' | 'thread ended'> {
    const id = nextTermId++;
    const onTermEnd = () => thread.notify('termEnded', id);
    signal.addEventListener('abort', onTermEnd, { once: true });
    try {
      await thread.request('project', { id, epoch });
      return 'term ended';
    } catch (error) {
      if (error instanceof ThreadEnded) return 'thread ended';
      throw error;
    } finally {
      signal.removeEventListener('abort', onTermEnd);
    }
  }

  return {
    ...portsOver(queryOnThread(thread)),
    notify(at) {
      announced = at;
      if (!isSending && thread.isRunning && !isClosed) sendAnnounced();
    },
    async project(term) {
      while (!term.signal.aborted && !isClosed) {
        if ((await projectOnce(term)) === 'term ended') return;
        await sleep(RETRY_MS, term.signal);
      }
    },
    close() {
      isClosed = true;
      return thread.stop({ timeoutMs: STOP_TIMEOUT_MS });
    },
  };
}
