import type { VerifierKey } from '../integrity/notes/noteKeys.ts';
import type { OnProgress } from './scanSource.ts';

/** What the log is compared with that is not in its folder. */
export interface CheckpointOptions {
  /** A folder or file with published checkpoints. */
  readonly checkpoints?: string | undefined;
  /** Whether there may be none yet. */
  readonly isOptional?: boolean | undefined;
  /** The key of the log that the caller trusts; default: those that stand beside the log. */
  readonly publicKey?: VerifierKey | undefined;
}

export interface VerifyOptions extends CheckpointOptions {
  /** Positions of the first and the last event to verify; default: the whole log. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Whether to begin behind the newest archived day, with the tree that its seal has. */
  readonly isUnsealed?: boolean | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Called with a sentence about what is done now. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Number of threads that read events; default: one for each core. */
  readonly threads?: number | undefined;
}

/** There is nothing that can be verified; the message says why and what to do. */
export class CannotVerify extends Error {
  override readonly name = 'CannotVerify';
}

/** The log ends before the first position that was asked for: that nothing is wrong there would say nothing. */
export const nothingFrom = (from: number, last: number): CannotVerify =>
  new CannotVerify(`There is nothing to verify from position ${from} on: the log ends at position ${last}.`);
