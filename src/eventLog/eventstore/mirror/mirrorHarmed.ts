import type { FileHarm } from '../../sqlite/fileGuard.ts';

/** The file of the mirror, or its write-ahead log, was deleted or cut while it is open: nothing is written to it. */
export class MirrorHarmed extends Error {
  override readonly name = 'MirrorHarmed';
  /** Treated as an error of SQLite that has no code: the store and the connection are fine. */
  readonly errcode = 0;
  readonly remedy: string;

  constructor(path: string, harm: FileHarm) {
    super(`it or its -wal was ${harm === 'cut' ? 'cut' : 'deleted, moved or replaced'} while svc runs`);
    this.remedy =
      harm === 'cut'
        ? `Stop svc and delete ${path}: the next start copies it again from EventStoreDB.`
        : 'Put it back if it was moved, or restart svc: the next start copies what is missing from EventStoreDB.';
  }
}
