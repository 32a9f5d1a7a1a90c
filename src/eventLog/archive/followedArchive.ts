import { pathIn } from '../../dataFolder/openDatabase.ts';
import { ArchivedEvents } from './archivedEvents.ts';
import { ArchiveChanged } from './archiveFile.ts';

/** A read takes milliseconds, and a run writes to the archive a few times for each day. */
const MAX_ATTEMPTS = 100;

/**
 * The archive of a log in which days may be archived, or from which they may be restored, while it is read. An event has its leaf entry
 * before its row is removed, and its row again before the entry is: what is read of both while the archive does not change is complete.
 */
export class FollowedArchive {
  readonly #location: string;
  #archived: ArchivedEvents | undefined;

  /** @param location as of `ArchivedEvents.open`; the file may come into being later */
  constructor(location: string) {
    this.#location = location;
    this.#open();
  }

  /**
   * Reads from the log and from the archive until that did not change meanwhile.
   * @param read gets undefined while nothing was ever archived; may be called several times
   * @throws ArchiveChanged when days are archived or restored all the time, and what `read` throws
   */
  read<Result>(read: (archived: ArchivedEvents | undefined) => Result): Result {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const before = this.#archived?.version();
      const result = read(this.#archived);
      if (this.#archived ? !this.#archived.isStale() && this.#archived.version() === before : !this.#open())
        return result;
      if (this.#archived?.isStale()) this.#reopen();
    }
    throw new ArchiveChanged(
      `Days are archived or restored all the time in ${pathIn(this.#location)}. Run it again later.`,
    );
  }

  /** For reads whose result shows by itself whether a run has changed the archive meanwhile. */
  current(): ArchivedEvents | undefined {
    if (this.#archived?.isStale() !== false) this.#reopen();
    return this.#archived;
  }

  close(): void {
    try {
      this.#archived?.close();
    } catch (error) {
      // Each read was checked.
      if (!(error instanceof ArchiveChanged)) throw error;
    }
    this.#archived = undefined;
  }

  #reopen(): void {
    this.close();
    this.#open();
  }

  /** @returns whether there is a file */
  #open(): boolean {
    this.#archived = ArchivedEvents.open(this.#location);
    return this.#archived !== undefined;
  }
}
