import type { Comparison } from '../readModels/rebuild.ts';
import type { ComparedFiles } from '../readModels/sqlite/rebuild.ts';

/** The messages between a verification and the thread that compares the read models. */
export interface CompareThread {
  requests: {
    compare(files: ComparedFiles): Comparison;
  };
}
