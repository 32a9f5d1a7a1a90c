import type { Instant } from '../../domain/core/brands.ts';
import type { JobControl } from '../../lib/jobs/jobRunner.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import { requireKnown } from '../whatIf/requireKnown.ts';
import type { WhatIf } from '../whatIf/whatIf.ts';
import type { ReplayReport, ReplayServiceThread } from './replayThread.ts';

/** The period of a replay, and what it changes. */
export interface ReplayRequest {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly whatIf: WhatIf | undefined;
}

/** A report may have a megabyte. */
const MAX_REPORTS = 5;

/**
 * Replays the log of a running service as `svc replay` does, beside it: in a thread of the lowest priority. Keeps the last
 * reports in memory. Over EventStoreDB it replays the mirror of this node.
 */
export class ReplayShelf {
  readonly #location: string;
  readonly #begin: string | undefined;
  readonly #reports = new Map<string, ReplayReport>();

  /** @param location of the log's file @param begin as in `LogFiles` */
  constructor(location: string, begin?: string) {
    this.#location = location;
    this.#begin = begin;
  }

  /** @throws InvalidWhatIf when it names accounts or keys that the log does not know */
  check({ whatIf }: Pick<ReplayRequest, 'whatIf'>): void {
    if (whatIf) requireKnown(this.#location, whatIf);
  }

  /** Rejects when it is cancelled. @param id under which the report is kept */
  async replay(id: string, request: ReplayRequest, { signal, onProgress }: JobControl): Promise<ReplayReport> {
    signal.throwIfAborted();
    const step = request.whatIf ? 'playing requests again' : 'repeating decisions';
    const thread = startThread<ReplayServiceThread>(new URL('./replayWorker.ts', import.meta.url), {
      name: 'replay',
      reports: { progress: ({ events, of }) => onProgress(events, of, step) },
    });
    const cancelled = Promise.withResolvers<never>();
    const cancel = () => cancelled.reject(signal.reason);
    signal.addEventListener('abort', cancel);
    try {
      const replayed = thread.request('replay', { ...request, location: this.#location, begin: this.#begin });
      // The thread is terminated, which rejects it, too.
      replayed.catch(() => undefined);
      const report = await Promise.race([replayed, cancelled.promise]);
      this.#keep(id, report);
      return report;
    } finally {
      signal.removeEventListener('abort', cancel);
      await thread.terminate();
    }
  }

  /** @returns undefined when it is not known or older than the last ones */
  find(id: string): ReplayReport | undefined {
    return this.#reports.get(id);
  }

  #keep(id: string, report: ReplayReport): void {
    this.#reports.set(id, report);
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > MAX_REPORTS && oldest !== undefined) this.#reports.delete(oldest);
  }
}
