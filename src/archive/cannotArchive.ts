/** Why a day cannot be archived or restored. */
export type ArchiveRefusal =
  | 'log_not_intact'
  | 'archive_damaged'
  | 'day_not_over'
  | 'held'
  | 'not_archived'
  | 'file_unusable'
  | 'not_recorded'
  | 'archiving_elsewhere';

/** A day cannot be archived or restored; the message says why and what to do. Nothing of the log was removed. */
export class CannotArchive extends Error {
  override readonly name = 'CannotArchive';
  readonly code: ArchiveRefusal;
  constructor(code: ArchiveRefusal, message: string) {
    super(message);
    this.code = code;
  }
}
