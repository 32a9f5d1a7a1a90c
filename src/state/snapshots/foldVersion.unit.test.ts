import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { position } from '../../domain/core/brands.ts';
import { eventTypes, upcast } from '../../domain/eventTypes.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { Checkpoints } from '../fold/checkpoints.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { dataOf, textOf } from './foldData.ts';
import { FOLD_VERSION, foldName, nameOfFold } from './foldVersion.ts';

/** What each version of the fold makes of `test/histories/everyKind.ndjson`. A line is added, never changed. */
const GIVES: Readonly<Record<number, string>> = {
  1: 'db5d8dc7188ed2096e160b7867cc83c5d204e5a770e7cf9db9e47dbdac899d06',
  2: 'f9b1c7ca40d318645480e47b665e60d903ec71bb7ba76bb40706d7930050523e',
  3: 'f7acfabee382471986263f0d04d268942b813cce2b5d13a989ab29db145a1748',
};

const WHAT_TO_DO = `The hot fold gives another state than FOLD_VERSION ${FOLD_VERSION} stands for, so snapshots that are out
there would be gone on from wrongly. Raise FOLD_VERSION in src/state/snapshots/foldVersion.ts and add a line to GIVES here.`;

const history = readFileSync(new URL('../../../test/histories/everyKind.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Omit<RecordedEvent, 'position'> & { version: number });

/** @param onFolded told after each event */
function foldHistory(onFolded: (fold: Fold) => void = () => {}): Fold {
  const fold = emptyFold(new Checkpoints(50));
  history.forEach(({ version, data, ...rest }, index) => {
    const event = { ...rest, data: upcast(rest.type, version, data), position: position(index + 1) } as RecordedEvent;
    fold.state.apply(event);
    fold.checkpoints.onFolded(fold.state, event);
    onFolded(fold);
  });
  return fold;
}

test('the fold makes of a history of every kind of event what its version stands for', () => {
  const digest = createHash('sha256');
  foldHistory((fold) => digest.update(textOf(dataOf(fold))));
  expect(digest.digest('hex'), WHAT_TO_DO).toBe(GIVES[FOLD_VERSION]);
});

test('every type of event is in that history', () => {
  const missing = [...eventTypes.keys()].filter((type) => !history.some((event) => event.type === type));
  expect(missing, 'append some to test/histories/everyKind.ndjson, then do as for a changed fold').toEqual([]);
});

test('what that history leaves behind has something in every part of the state', () => {
  const empty = Object.entries(foldHistory().state).filter(([, part]) => part === undefined || part?.size === 0);
  expect(empty.map(([name]) => name)).toEqual([]);
});

test('a type of event that is new, or has a new version, makes snapshots of before useless by itself', () => {
  const known = [...eventTypes.values()];
  expect(nameOfFold(known)).toBe(foldName);
  expect(nameOfFold([...known, { type: 'QuotaInvented', version: 1 }])).not.toBe(foldName);
  expect(nameOfFold(known.slice(1))).not.toBe(foldName);
  const raised = known.map(({ type, version }) => ({ type, version: type === 'IpAllowed' ? version + 1 : version }));
  expect(nameOfFold(raised)).not.toBe(foldName);
});
