import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyHistory } from '../../../test/support/histories.ts';
import { position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { Checkpoints } from '../fold/checkpoints.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { canonicalText } from './canonicalText.ts';
import { dataOf } from './dataOf.support.ts';
import type { FileBytes } from './openFile.ts';
import { encodeSnapshot, SnapshotBytes } from './snapshotBytes.ts';

const SPACING = 4;
const KEY = randomBytes(32);
const MARK = { position: position(1), eventId: 'id', eventHash: 'hash' };

function continueFold(fold: Fold, events: readonly RecordedEvent[]): Fold {
  for (const event of events) {
    fold.state.apply(event);
    fold.checkpoints.onFolded(fold.state, event);
  }
  return fold;
}

const folded = (events: readonly RecordedEvent[]) => continueFold(emptyFold(new Checkpoints(SPACING)), events);
const bytesOf = (fold: Fold) => Buffer.concat(encodeSnapshot({ ...MARK, fold }, KEY));
const throughSnapshot = (fold: Fold) => new SnapshotBytes(inMemory(bytesOf(fold)), KEY).load().fold;
const inMemory = (bytes: Buffer): FileBytes => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
  lineAt: (offset) => bytes.subarray(offset, bytes.indexOf('\n', offset)),
});

function expectSame(fold: Fold, whole: Fold): void {
  expect(fold).toStrictEqual(whole);
  // Compares private fields and the order of maps as well.
  expect(canonicalText(dataOf(fold))).toBe(canonicalText(dataOf(whole)));
}

test('a fold continued from a snapshot at any position equals the fold of the whole history', () => {
  fc.assert(
    fc.property(anyHistory({ maxLength: 40 }), (history) => {
      const whole = folded(history);
      for (let at = 0; at <= history.length; at += 1) {
        const resumed = continueFold(throughSnapshot(folded(history.slice(0, at))), history.slice(at));
        expectSame(resumed, whole);
      }
    }),
    { numRuns: 20 },
  );
});

test('a fold through a chain of snapshots equals the fold of the whole history', () => {
  fc.assert(
    fc.property(anyHistory({ minLength: 20, maxLength: 100 }), fc.integer({ min: 1, max: 20 }), (history, step) => {
      let fold = folded([]);
      for (let at = 0; at < history.length; at += step) {
        fold = throughSnapshot(continueFold(fold, history.slice(at, at + step)));
      }
      expectSame(fold, folded(history));
    }),
    { numRuns: 20 },
  );
});

test('keeps the same checkpoints before and after a snapshot', () => {
  fc.assert(
    fc.property(anyHistory({ minLength: 40, maxLength: 60 }), (history) => {
      const whole = folded(history);
      const resumed = continueFold(throughSnapshot(folded(history.slice(0, 30))), history.slice(30));
      for (const { position: at, time } of history) {
        expect(resumed.checkpoints.atPosition(at)).toStrictEqual(whole.checkpoints.atPosition(at));
        expect(resumed.checkpoints.atTime(time)).toStrictEqual(whole.checkpoints.atTime(time));
      }
    }),
    { numRuns: 10 },
  );
});
