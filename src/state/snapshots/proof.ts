import type { Position } from '../../domain/core/brands.ts';
import { pastDataOf } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { type FoldData, textOf } from './foldData.ts';

/** A snapshot, or the log that it was made from, is not what it was. */
export class SnapshotRefuted extends Error {
  override readonly name = 'SnapshotRefuted';
}

interface Stage {
  readonly position: Position;
  readonly expected: object;
  readonly actual: (fold: Fold) => object;
}

/** Holds a fold of the whole log against what a snapshot says of each position that it knows. */
export class Proof {
  readonly #stages: readonly Stage[];
  #next = 0;

  constructor({ state, checkpoints }: FoldData) {
    const past = checkpoints.kept.map(
      (kept): Stage => ({
        position: kept.state.position as Position,
        expected: { ...kept.state, latest: kept.latest },
        actual: (fold) => ({ ...pastDataOf(fold.state), latest: fold.checkpoints.latest }),
      }),
    );
    const end: Stage = {
      position: state.position,
      expected: { ...state, latest: checkpoints.latest },
      actual: (fold) => ({ ...fold.state.data(), latest: fold.checkpoints.latest }),
    };
    this.#stages = [...past, end];
  }

  get isComplete(): boolean {
    return this.#next === this.#stages.length;
  }

  /** After each event. @throws SnapshotRefuted */
  onFolded(fold: Fold): void {
    for (
      let stage = this.#stages[this.#next];
      stage?.position === fold.state.position;
      stage = this.#stages[this.#next]
    ) {
      const differing = differences(stage.expected, stage.actual(fold));
      if (differing.length > 0) {
        throw new SnapshotRefuted(`at position ${stage.position} the log gives other ${differing.join(', ')}`);
      }
      this.#next += 1;
    }
  }
}

/** Names of the parts that are not the same. */
function differences(expected: object, actual: object): string[] {
  const [a, b] = [expected, actual] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => textOf(a[name]) !== textOf(b[name]));
}
