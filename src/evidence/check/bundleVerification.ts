import type { Finding, Verification } from '../../verification/finding.ts';
import type { Manifest } from '../format/manifest.ts';

/** A checkpoint whose signature and consistency hold. */
export interface CheckedCheckpoint {
  readonly size: number;
  /** In base64, as the checkpoint has it. */
  readonly root: string;
  /** The signed note. */
  readonly note: string;
  /** The key whose signature holds. */
  readonly signedBy: string;
}

/** What holds of a bundle, as far as it could be checked. */
export interface BundleVerification extends Verification {
  /** Undefined when the manifest cannot be read. */
  readonly manifest: Manifest | undefined;
  /** The key of the log. */
  readonly key: { readonly vkey: string; readonly fingerprint: string; readonly isTrusted: boolean } | undefined;
  readonly checkpoints: readonly CheckedCheckpoint[];
  /** Events of which the digest of the stored data was recomputed. */
  readonly recomputed: number;
  /** Whether the events are all those between the first and the last position. */
  readonly isContiguous: boolean;
  readonly first: number;
  readonly last: number;
}

export const fileFinding = (expected: string, found: string, kind: Finding['kind'] = 'edited'): Finding => ({
  kind,
  position: null,
  stream: null,
  expected,
  found,
});
