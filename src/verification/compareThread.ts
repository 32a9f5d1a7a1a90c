import type { Comparison } from '../readModels/rebuild.ts';

/** The messages between a verification and the thread that compares the read models. */
export interface CompareThread {
  requests: {
    compare(files: { readonly livePath: string; readonly logPath: string; readonly freshPath: string }): Comparison;
  };
}
