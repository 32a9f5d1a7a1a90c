/** One uninterrupted period of holding a lease. */
export interface LeaseTerm {
  /**
   * The fencing token: it grows whenever the lease changes hands. A store rejects writes with an older epoch than the last
   * one it saw, because a process that was paused learns too late that it has lost the lease.
   */
  readonly epoch: number;
  /** False as soon as another node may hold the lease. Only saves work: the epoch is what keeps two holders apart. */
  isHeld(): boolean;
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
}

/** A term that never ends, for stores that only one process uses. */
export const permanentLeaseTerm = (): LeaseTerm => {
  const { signal } = new AbortController();
  return { epoch: 1, isHeld: () => true, signal };
};
