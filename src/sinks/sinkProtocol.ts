import type { SinkProgress, SinkSettings } from './sink.ts';

export interface SinkThreadOptions {
  /** The file of the event log. */
  readonly logPath: string;
  readonly sinks: readonly {
    readonly id: string;
    readonly settings: SinkSettings;
    /** The file of its progress. */
    readonly markPath: string;
  }[];
}

/** Why a batch was not taken; errors lose their class between threads. */
export interface Refused {
  readonly message: string;
  readonly remedy: string;
  readonly isTooLarge: boolean;
}

/** The messages between the main thread and the thread that follows the log for sinks. */
export interface SinkThread {
  options: SinkThreadOptions;
  requests: {
    /** Resolves when a sink has all events up to a position, or after this time. Returns how far it is. */
    reached(wanted: { readonly id: string; readonly position: number; readonly timeoutMs: number }): number;
  };
  notifications: {
    /** The log has more events than at the notification before. */
    logAdvanced(): void;
    /** Whether this node delivers to the sink. */
    lead(given: { readonly id: string; readonly isHere: boolean }): void;
  };
  reports: {
    progress(of: { readonly id: string; readonly progress: SinkProgress }): void;
    failure(of: { readonly id: string; readonly failure: Pick<Refused, 'message' | 'remedy'> | undefined }): void;
    otherLog(of: { readonly id: string; readonly position: number }): void;
  };
  questions: {
    /** Posts lines to the URL of a sink: its proxies are known to the main thread. */
    post(batch: { readonly id: string; readonly lines: readonly string[] }): Refused | undefined;
  };
}
