import type { PartTask } from '../check/checkBundle.ts';
import type { CheckedPart } from '../check/checkPart.ts';

/** The messages between the check of a bundle and a thread that checks parts of it. */
export interface PartThread {
  options: { readonly path: string };
  requests: { check(task: PartTask): CheckedPart };
}
