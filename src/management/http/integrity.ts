import { refuse } from '../../domain/core/refusal.ts';
import type { Checkpoints } from '../../integrity/checkpoints/checkpoints.ts';
import type { Tree } from '../../integrity/tree/tree.ts';

/** What proves the log: its tree, and the signed checkpoints of it. */
export interface Integrity {
  readonly tree: Tree;
  readonly checkpoints: Checkpoints;
}

const RETRY_SECONDS = 5;

/**
 * Waits for the tree or a checkpoint. Why they fail is said once, as a fault, and not for each response.
 * @throws Refusal `proof_unavailable` with the message of the error
 */
export async function available<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    return refuse('proof_unavailable', { problem: (error as Error).message, retryAfterSeconds: RETRY_SECONDS });
  }
}
