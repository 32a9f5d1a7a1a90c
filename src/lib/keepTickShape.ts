import { executionAsyncResource } from 'node:async_hooks';

/** Ticks as Node makes them for `process.nextTick`. */
const kept: object[] = [];

/**
 * Keeps `process.nextTick` fast for as long as the process runs. To be called early, before memory is collected.
 *
 * Node makes an object with computed keys for each tick, and V8 remembers the hidden class that each such key leads to. Ticks
 * live so briefly that a collection often finds none. Then their hidden classes are collected as well, later ticks get new
 * ones, and V8 takes its slow path from then on: 3.8 instead of 0.5 us of a model request
 * (docs/decisions/0134-hidden-classes-of-ticks.md). A tick that is never released keeps them alive.
 */
export function keepTickShape(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
