import type { FoundBreak } from './hashVerifier.ts';

export interface VerifyTask {
  /** The log's file. */
  readonly logPath: string;
  /** The last event that was verified before. */
  readonly after: number;
}

/** The messages between the main thread and the thread that verifies the log. */
export interface VerifyThread {
  requests: {
    /** Verifies up to the end of the log. Returns the position that it reached. */
    verify(task: VerifyTask): number;
  };
  reports: {
    progress(reached: { readonly position: number; readonly found: readonly FoundBreak[] }): void;
  };
}
