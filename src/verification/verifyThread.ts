import type { Verification } from './finding.ts';

/** What a running service verifies: its own folder. */
export interface OwnLog {
  readonly folder: string;
  /** `log.sqlite`, or `mirror.sqlite`. */
  readonly logName: string;
  readonly comparesReadModels: boolean;
  /** The folder that checkpoints are published to. */
  readonly checkpoints: string | undefined;
}

export interface PartToVerify {
  /** Positions of the first and the last event; default: the whole log. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The messages between a running service and the thread that verifies its log. */
export interface VerifyServiceThread {
  requests: {
    /** @param temporary a folder for temporary files, which the service removes */
    verify(task: OwnLog & PartToVerify & { readonly temporary: string; readonly threads: number }): Verification;
  };
  reports: {
    progress(done: { readonly events: number; readonly of: number | undefined }): void;
    step(step: string): void;
  };
}
