/** A position in `$all`. Used internally to resume and to compare; positions of events are counted by the mirror. */
export interface NativePosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Negative if `a` is before `b`. */
export function compareNative(a: NativePosition, b: NativePosition): number {
  const difference = a.commit === b.commit ? a.prepare - b.prepare : a.commit - b.commit;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
