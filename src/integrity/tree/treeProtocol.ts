import type { ArchivedRequest } from '../../eventLog/archive/archivedEvents.ts';
import type { LogBreak } from '../../eventLog/continuity.ts';
import type { TileName } from '../tiles/tilePaths.ts';
import type { RemakeReason } from './treeFollower.ts';

export interface TreeThreadOptions {
  readonly path: string;
  /** The file of the event log. */
  readonly logPath: string;
  /** Waits this long for more events before it grows. */
  readonly gatherMs: number;
}

/** The messages between the main thread and the thread of the tree. Hashes are concatenated, 32 bytes each. */
export interface TreeThread {
  options: TreeThreadOptions;
  requests: {
    /** Grows the tree until it covers the position, for at most this time. Returns its size. */
    reached(wanted: { readonly position: number; readonly timeoutMs: number }): number;
    /** Of the present tree when the size is undefined. */
    root(size: number | undefined): { readonly size: number; readonly root: Uint8Array };
    inclusionProof(leaf: { readonly index: number; readonly size: number }): Uint8Array;
    consistencyProof(sizes: { readonly from: number; readonly to: number }): Uint8Array;
    entry(index: number): Uint8Array | undefined;
    archivedRequest(requestId: string): ArchivedRequest | undefined;
    tile(name: TileName): Uint8Array | undefined;
  };
  notifications: {
    /** The log has more events than at the notification before, or may have. */
    logAdvanced(): void;
  };
  reports: {
    remaking(reason: RemakeReason): void;
    /** An event does not continue the log before it. */
    broken(found: LogBreak): void;
    /** Sent while the tree grows for long. */
    grown(size: number): void;
    /** Sent after each `logAdvanced`, and after the retries that follow a failure. */
    caughtUp(progress: { readonly size: number; readonly failure: string | undefined }): void;
  };
}
