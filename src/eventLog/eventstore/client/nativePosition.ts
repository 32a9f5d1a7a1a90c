/** Where an event stands in `$all`; serves to resume and to compare, and is shown to nobody. */
export interface NativePosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Below zero when `a` stands before `b`. */
export function compareNative(a: NativePosition, b: NativePosition): number {
  const difference = a.commit === b.commit ? a.prepare - b.prepare : a.commit - b.commit;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
