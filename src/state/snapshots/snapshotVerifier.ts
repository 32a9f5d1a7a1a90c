import type { Position } from '../../domain/core/brands.ts';
import { checkpointDataOf } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { HotState } from '../fold/hotState.ts';
import { canonicalText } from './canonicalText.ts';

/** A snapshot, or the log that it was made from, has changed. */
export class SnapshotRefuted extends Error {
  override readonly name = 'SnapshotRefuted';
}

interface Stage {
  readonly position: Position;
  readonly expected: () => object;
  readonly actual: (fold: Fold) => object;
}

/** Compares a fold of the whole log with a snapshot, at the snapshot's end and at each of its checkpoints. */
export class SnapshotVerifier {
  readonly #stages: readonly Stage[];
  #next = 0;

  /** @param after where the fold begins that is compared; checkpoints up to there are not */
  constructor({ state, checkpoints }: Fold, after = 0) {
    const { kept, stretches } = checkpoints.parts;
    const compared = kept.filter(({ position }) => position > after);
    const past = compared.map(
      (checkpoint): Stage => ({
        position: checkpoint.position,
        expected: () => ({ ...checkpointDataOf(checkpoint.read() ?? new HotState()), latest: checkpoint.latest }),
        actual: (fold) => ({ ...checkpointDataOf(fold.state), latest: fold.checkpoints.latest }),
      }),
    );
    const end: Stage = {
      position: state.position,
      expected: () => ({ ...state.data(), stretches }),
      actual: (fold) => ({ ...fold.state.data(), stretches: fold.checkpoints.stretches }),
    };
    this.#stages = [...past, end];
  }

  get isComplete(): boolean {
    return this.#next === this.#stages.length;
  }

  /** Called after each event. @throws SnapshotRefuted */
  onFolded(fold: Fold): void {
    for (
      let stage = this.#stages[this.#next];
      stage?.position === fold.state.position;
      stage = this.#stages[this.#next]
    ) {
      const differing = differences(stage.expected(), stage.actual(fold));
      if (differing.length > 0) {
        throw new SnapshotRefuted(`at position ${stage.position} the log gives different ${differing.join(', ')}`);
      }
      this.#next += 1;
    }
  }
}

/** The names of the parts that differ. */
function differences(expected: object, actual: object): string[] {
  const [a, b] = [expected, actual] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => canonicalText(a[name]) !== canonicalText(b[name]));
}
