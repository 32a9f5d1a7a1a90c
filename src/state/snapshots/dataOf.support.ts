import { checkpointDataOf } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';

/** Everything in a fold as plain data, to compare folds. */
export function dataOf({ state, checkpoints }: Fold) {
  const { stretches, spacing, kept, base } = checkpoints.parts;
  return {
    state: state.data(),
    checkpoints: {
      ...{ stretches, spacing },
      kept: kept.map((checkpoint) => {
        const read = checkpoint.read();
        return { state: read && checkpointDataOf(read), latest: checkpoint.latest };
      }),
      ...(base && { base: { state: checkpointDataOf(base.state), latest: base.latest } }),
    },
  };
}
