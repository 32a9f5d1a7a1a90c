import type { PublishingTarget } from './checkpoints.ts';
import type { NoteRecord } from './noteRecord.ts';

/** A place that takes notes in order, each at least once. */
export interface Target extends Pick<PublishingTarget, 'kind' | 'target'> {
  /** Identifies its progress: the same for the same place. */
  readonly id: string;
  /**
   * Publishes a note; resolves when the place has it durably, as far as it says.
   * @param note with the cosignatures that there are
   * @throws PublishFailed, and what the file system and the network throw
   */
  publish(record: NoteRecord, note: string, signal: AbortSignal): Promise<void>;
  /** Number of the note after which publishing begins when nothing was published there yet. */
  begin(last: NoteRecord | undefined): number;
  /** Called before each note: whether what was published there before is missing, so that all is published again. */
  hasLost?(published: NoteRecord): Promise<boolean>;
}

/** A note was not published; the message says why, the remedy what an operator can do. */
export class PublishFailed extends Error {
  override readonly name = 'PublishFailed';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}
