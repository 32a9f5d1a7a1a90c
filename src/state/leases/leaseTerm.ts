/** One uninterrupted time of holding a lease. */
export interface LeaseTerm {
  /**
   * Grows with every change of hands. What must not be written by two goes by it: where a write lands, one with an older
   * epoch than the last is refused, because a process that was paused learns of its loss only afterwards.
   */
  readonly epoch: number;
  /** False as soon as somebody else may hold the lease. Saves work; what keeps others out is the epoch. */
  isHeld(): boolean;
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
}

/** Of stores that one process has for itself: never over. */
export const permanentLeaseTerm = (): LeaseTerm => {
  const { signal } = new AbortController();
  return { epoch: 1, isHeld: () => true, signal };
};
