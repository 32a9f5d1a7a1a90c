import type { Transferable } from 'node:worker_threads';

/** A payload or result together with the objects that move to the other thread instead of being copied. */
export class Transfer<Value> {
  readonly value: Value;
  readonly objects: readonly Transferable[];

  constructor(value: Value, objects: readonly Transferable[]) {
    this.value = value;
    this.objects = objects;
  }
}

/**
 * Moves array buffers, ports and the like instead of copying them; the sender cannot use them afterwards.
 * @param objects those within `value` to move
 */
export const transfer = <Value>(value: Value, objects: readonly Transferable[]): Transfer<Value> =>
  new Transfer(value, objects);
