import type { Position } from '../../domain/core/brands.ts';
import type { QueryThread } from '../queryThread.ts';

export interface ReadModelFiles {
  readonly path: string;
  /** The file of the event log. */
  readonly logPath: string;
}

/** What passes between the main thread and the one with the read models. */
export interface ReadModelsThread extends QueryThread {
  options: ReadModelFiles;
  reports: {
    /** Sent after the start and after each `logAdvanced`. */
    caughtUp(progress: { readonly position: Position; readonly trouble: string | undefined }): void;
  };
}
