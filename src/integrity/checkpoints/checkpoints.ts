/** A checkpoint that was signed. */
export interface StoredCheckpoint {
  readonly origin: string;
  /** The position of the last event that it covers. */
  readonly size: number;
  /** 64 hex digits. */
  readonly root: string;
  /** The signed note (https://c2sp.org/tlog-checkpoint), with the cosignatures received so far. */
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly signedAt: number;
}

/** A place where checkpoints are published. */
export interface PublishingTarget {
  readonly kind: 'folder' | 'http' | 'witness';
  /** The path, or the URL without secrets. */
  readonly target: string;
  /** Size of the newest checkpoint that it has taken; 0 before the first. */
  readonly size: number;
  readonly publishedAt: number | null;
  /** What the last attempt failed with; null after a success. */
  readonly failure: string | null;
}

/** Signs checkpoints of the tree and publishes them. */
export interface Checkpoints {
  /** Identifies the log (docs/integrity.md); undefined before its first event. */
  readonly origin: string | undefined;
  /** The key of the log as a verifier key of https://c2sp.org/signed-note, whose name is the origin. */
  readonly vkey: string | undefined;
  /** Why this node signs none at present, a sentence for the operator; undefined while it may sign. */
  readonly refusal: string | undefined;
  /** The newest checkpoint, also one of before the start; undefined before the first. */
  latest(): StoredCheckpoint | undefined;
  /**
   * Resolves with a checkpoint that covers the position, an existing or a new one; at most one a second is signed.
   * @throws Error with a sentence for the caller when there is none and this node signs none
   */
  covering(position: number): Promise<StoredCheckpoint>;
  /** Checkpoints in order, of the present and earlier origins, from the first that covers `from` to the first that covers `to`. */
  between(from: number, to: number): readonly StoredCheckpoint[];
  /** Notes that name a new key of the log (src/integrity/keys/keyChange.ts), in order. */
  keyChanges(): readonly string[];
  readonly targets: readonly PublishingTarget[];
  /** Signs a last checkpoint that covers the position, publishes it, and waits for slow targets up to 2 s. */
  stop(position: number): Promise<void>;
}
