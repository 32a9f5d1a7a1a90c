import type { Faults } from '../../lib/faults.ts';
import type { Post } from '../../lib/outgoing/post.ts';
import type { SigningKey, VerifierKey } from '../notes/noteKeys.ts';
import type { Tree } from '../tree/tree.ts';
import type { SharedNotes } from './noteRecord.ts';
import type { AcceptedLoss } from './signer.ts';

/** Where checkpoints are published; each may be absent. */
export interface PublishingPlaces {
  readonly folder?: string | undefined;
  readonly url?: string | undefined;
  readonly witness?: { readonly url: string; readonly key: VerifierKey } | undefined;
}

export interface KeepCheckpointsOptions {
  /** `checkpoints.sqlite`. */
  readonly path: string;
  /** `checkpoints.mark`, which says how far that file reached. */
  readonly markPath: string;
  /** `checkpoint.pub`, which has the verifier key in text. */
  readonly publicKeyPath: string;
  readonly tree: Tree;
  readonly key: SigningKey;
  /** The file that the key was read from, if it was. */
  readonly keyFile?: string | undefined;
  /** Earlier keys that are at hand. */
  readonly earlierKeys: readonly SigningKey[];
  /** The accepted losses of the log, in order. */
  readonly losses: () => readonly AcceptedLoss[];
  /** Position of the last event of the log. */
  readonly head: () => number;
  readonly places: PublishingPlaces;
  readonly post: Post;
  /** Notes of a log that several nodes share. */
  readonly shared?: SharedNotes | undefined;
  /** Runs the work on one node of those that share the log. */
  readonly lead: (work: (term: { readonly signal: AbortSignal }) => Promise<void>) => {
    readonly isHere: boolean;
    stop(): Promise<void>;
  };
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Whether the store of the log is known to be unreachable. */
  readonly isCutOff?: () => boolean;
  readonly now?: () => number;
  /** Default: a minute. */
  readonly intervalMs?: number;
  readonly followIntervalMs?: number;
}
