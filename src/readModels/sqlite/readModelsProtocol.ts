import type { Position } from '../../domain/core/brands.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import type { FileHarm } from '../../eventLog/sqlite/fileGuard.ts';
import type { QueryThread } from '../queryThread.ts';

export interface ReadModelFiles {
  readonly path: string;
  /** The file of the event log. */
  readonly logPath: string;
}

/** Why the file of the read models is removed and made again. */
export type RemadeBecause = 'damaged' | FileHarm;

/** The messages between the main thread and the read model thread. */
export interface ReadModelsThread extends QueryThread {
  options: ReadModelFiles;
  reports: {
    /** The file is removed, and made again from the log. */
    remaking(reason: RemadeBecause): void;
    /** An event does not continue the log before it. */
    broken(found: LogBreak): void;
    /** Sent after the start and after each `logAdvanced`. */
    caughtUp(progress: { readonly position: Position; readonly failure: string | undefined }): void;
  };
}
