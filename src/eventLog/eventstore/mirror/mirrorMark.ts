import type { DatabaseSync } from 'node:sqlite';
import { MarkFile, readMarkFile } from '../../../dataFolder/markFile.ts';
import { type LogEnd, readLogEnd, readLogEndAt } from '../../sqlite/logEnd.ts';
import type { OnMarkFailure } from '../../sqlite/logMark.ts';

/** Whether the mirror has the event of the mark: not yet, yes, or another one at its position. */
type MarkState = 'behind' | 'same' | 'other';

/**
 * Keeps the mark of a mirror: how far this node has read the history. Unlike the log, a mirror may be behind its mark, after
 * a power cut or when it was deleted: it reads the events again. Nothing is noted before the mirror has reached the mark with
 * the same event, so that the mark of a lost history is not replaced by that of another one.
 */
export class MirrorMark {
  readonly #database: DatabaseSync;
  readonly #isArchived: (position: number) => boolean;
  readonly #file: MarkFile<LogEnd>;
  readonly #known: LogEnd | undefined;
  #state: MarkState = 'behind';

  /** @param isArchived whether an event without a row is archived */
  constructor(
    database: DatabaseSync,
    path: string,
    onFailure: OnMarkFailure,
    isArchived: (position: number) => boolean = () => false,
  ) {
    this.#database = database;
    this.#isArchived = isArchived;
    const content = readMarkFile<LogEnd>(path);
    this.#known = content.kind === 'mark' ? content.mark : undefined;
    this.#file = new MarkFile(path, {
      onFailure: ({ message }) => onFailure(message),
      onRecovered: () => onFailure(undefined),
    });
  }

  /** Called after the mirror was written. */
  onWritten(): void {
    if (this.#state === 'other') return;
    const end = readLogEnd(this.#database);
    if (this.#state === 'behind') this.#state = this.#compare(end);
    if (this.#state === 'same' && end.position > 0) this.#file.note(end);
  }

  #compare({ position }: LogEnd): MarkState {
    if (!this.#known) return 'same';
    if (position < this.#known.position) return 'behind';
    if (this.#known.position === 0) return 'same';
    const row = readLogEndAt(this.#database, this.#known.position);
    // What is left of an archived event does not name its hash.
    return row?.hash === this.#known.hash || (!row && this.#isArchived(this.#known.position)) ? 'same' : 'other';
  }

  close(): void {
    this.#file.close();
  }
}
