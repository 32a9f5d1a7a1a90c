import type { MadeBundle } from '../make/makeBundle.ts';
import type { EventSelection } from '../make/selection.ts';

export interface EvidenceTask {
  readonly folder: string;
  readonly logName: string;
  readonly selection: EventSelection;
  readonly statedSelection: EventSelection;
  readonly path: string;
  readonly madeAt: string;
  readonly maxBytes: number;
}

/** The messages between a service and the thread that makes a bundle for it. */
export interface EvidenceThread {
  requests: { make(task: EvidenceTask): MadeBundle };
  reports: {
    /** Examined up to this position, of the last one. */
    progress(progress: { readonly position: number; readonly of: number }): void;
    step(step: string): void;
  };
}
