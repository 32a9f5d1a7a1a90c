import type { Instant } from '../domain/core/brands.ts';
import type { HoldScope } from '../domain/hold/events.ts';
import { holdsOn } from '../domain/hold/isHeld.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import type { Segment, SegmentHeader } from '../eventLog/archive/segment.ts';
import type { Actor } from '../eventLog/eventLog.ts';
import type { JobControl } from '../lib/jobs/jobRunner.ts';
import { archiveDays, lastDayBefore } from './archiveDays.ts';
import type { ArchiveHost } from './archiveHost.ts';
import { restoreDay } from './restoreDay.ts';
import { sealInThread } from './sealInThread.ts';

/** A hold, as reasons name it. */
type NamedHold = HoldScope & { readonly id: string };

/** Which days are to be archived. */
export type WhichDays = { readonly until: string } | { readonly days: number };

export interface ArchivingOptions extends Omit<ArchiveHost, 'actor'> {
  /** The folder of archive files. */
  readonly folder: string;
  readonly holds: () => Iterable<NamedHold>;
  /** Resolves once the holds are those of the whole log that this node has read. */
  readonly whenFolded: () => Promise<void>;
  readonly now: () => Instant;
}

/** Why a day must stay; undefined when no hold forbids to archive it. */
export function heldBecause(holds: Iterable<NamedHold>, day: string): string | undefined {
  const ids = holdsOn(holds, { day }).map(({ id }) => id);
  return ids.length === 0 ? undefined : `held by ${ids.join(', ')}`;
}

/** Archives days of a running service, as jobs. */
export class Archiving {
  readonly #options: ArchivingOptions;

  constructor(options: ArchivingOptions) {
    this.#options = options;
  }

  /** All segments that were ever archived, the earliest first. */
  segments(): Segment[] {
    const archived = ArchivedEvents.open(archivePathOf(this.#options.logPath));
    try {
      return archived?.segments().filter(({ status }) => status !== 'sealed') ?? [];
    } finally {
      archived?.close();
    }
  }

  /**
   * Archives closed days.
   * @param keepsRestored whether days that were restored stay
   * @returns the result of the job
   * @throws as `archiveDays`
   */
  async archive(which: WhichDays, actor: Actor, control: JobControl, keepsRestored = false) {
    const { folder, holds, whenFolded, ...host } = this.#options;
    let step = 'Archiving';
    const run = (signal: AbortSignal) =>
      archiveDays({
        host: { ...host, actor },
        folder,
        until: 'until' in which ? which.until : lastDayBefore(which.days, host.now()),
        async heldBecause(day) {
          await whenFolded();
          return heldBecause(holds(), day);
        },
        keepsRestored,
        seal: sealInThread(
          { logPath: host.logPath, folder },
          { signal, onProgress: (done, of) => control.onProgress(done, of, step) },
        ),
        onStep: (text) => {
          step = text;
          control.onProgress(0, undefined, text);
        },
        signal,
      });
    const { archived, kept } = await this.#exclusively(run, control);
    return { archived: archived.map(summaryOf), kept };
  }

  /** Puts a day back. @returns the result of the job @throws as `restoreDay` */
  async restore(day: string, actor: Actor, control: JobControl) {
    const { folder, holds: _, whenFolded: __, ...host } = this.#options;
    const run = (signal: AbortSignal) =>
      restoreDay({
        host: { ...host, actor },
        folder,
        what: day,
        onStep: (text) => control.onProgress(0, undefined, text),
        signal,
      });
    const restored = await this.#exclusively(run, control);
    return { restored: restored.map(({ header }) => summaryOf(header)) };
  }

  /** Over a store that several nodes share, one of them does it at a time. */
  #exclusively<Result>(work: (signal: AbortSignal) => Promise<Result>, control: JobControl): Promise<Result> {
    const { signal } = control;
    const { shared } = this.#options;
    if (!shared) return work(signal);
    control.onProgress(0, undefined, 'Waiting for other nodes');
    return shared.exclusively((lost) => work(AbortSignal.any([signal, lost])), signal);
  }
}

const summaryOf = ({ day, events, file }: SegmentHeader) => ({ day, events, file: file.name, sha256: file.sha256 });
