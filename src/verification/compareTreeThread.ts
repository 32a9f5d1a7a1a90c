import type { Finding } from './finding.ts';

/** The messages between a running service and the thread that compares its log with its tree. */
export interface CompareTreeThread {
  requests: {
    /** Compares every leaf that both have. Paths of `log.sqlite`, `archive.sqlite` and `tree.sqlite`. */
    compare(files: { readonly log: string; readonly archive: string; readonly tree: string }): readonly Finding[];
  };
}
