import type { FoundBreak } from './hashVerifier.ts';
import type { SurplusField } from './surplusFields.ts';

export interface VerifyTask {
  /** The log's file. */
  readonly logPath: string;
  /** The last event that was verified before. */
  readonly after: number;
  /** The last event in which surplus fields were looked for before. */
  readonly fieldsAfter: number;
}

/** What a step of the verification found. */
export interface VerifiedPart {
  /** The last event that was verified. */
  readonly position: number;
  readonly found: readonly FoundBreak[];
  readonly surplus: readonly SurplusField[];
}

/** The messages between the main thread and the thread that verifies the log. */
export interface VerifyThread {
  requests: {
    /** Verifies up to the end of the log. Returns the position that it reached. */
    verify(task: VerifyTask): number;
  };
  reports: {
    progress(reached: VerifiedPart): void;
  };
}
