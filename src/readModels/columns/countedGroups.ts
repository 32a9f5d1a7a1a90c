import { FigureCounts, GroupedCounts, type GroupKey } from '../figureCounts.ts';
import { DenseSteps } from '../figureSteps.ts';
import { SUMS } from '../packedDay.ts';
import type { Turns } from '../turns.ts';
import type { ChunkCounts } from './chunkCounts.ts';

/** Steps whose sums and bins are passed on in one turn. */
const STEPS_OF_TURN = 32;

/** What each group has in all steps. @param keys by the number of the group */
export function wholeOf(keys: readonly GroupKey[], counts: ChunkCounts): GroupedCounts {
  const whole = new GroupedCounts();
  const sums = counts.groupSums(keys.length);
  keys.forEach((key, group) => {
    const own = new FigureCounts();
    own.sums.addList(sums, group * SUMS);
    counts.addGroupSketches(group, own);
    whole.groups.set(key, own);
  });
  return whole;
}

/** The sums of groups by step, and what all have in common. @param keys by the number of the group */
export function* stepsOf(
  counts: ChunkCounts,
  steps: number,
  shown: readonly GroupKey[],
  keys: readonly GroupKey[],
): Turns<DenseSteps> {
  const dense = new DenseSteps(steps, shown);
  const columns = Int32Array.from(keys, (key) => dense.columnOf(key));
  const all = new Float64Array(SUMS);
  for (let step = 0; step < steps; step++) {
    if (step % STEPS_OF_TURN === 0) yield;
    const sums = counts.stepSums(step);
    if (sums.length === 0) continue;
    dense.addGroups(step, columns, sums);
    all.fill(0);
    for (let index = 0; index < sums.length; index++)
      all[index % SUMS] = (all[index % SUMS] as number) + (sums[index] as number);
    const total = dense.totalOf(step);
    total.sums.addList(all);
    counts.addStepSketches(step, total);
  }
  return dense;
}
