import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { position } from '../../domain/core/brands.ts';
import { eventTypes, upcast } from '../../domain/eventTypes.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { Checkpoints } from '../fold/checkpoints.ts';
import { emptyFold, type Fold } from '../fold/fold.ts';
import { canonicalText, dataOf } from './foldData.ts';
import { FOLD_VERSION, foldName, foldNameFor } from './foldVersion.ts';

/** Digest of the states that each version of the fold gives for `test/histories/everyKind.ndjson`. Lines are added, never changed. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: 'db5d8dc7188ed2096e160b7867cc83c5d204e5a770e7cf9db9e47dbdac899d06',
  2: 'f9b1c7ca40d318645480e47b665e60d903ec71bb7ba76bb40706d7930050523e',
  3: 'f7acfabee382471986263f0d04d268942b813cce2b5d13a989ab29db145a1748',
  4: 'da346d329bba3e26ce5ffe824397a1f7e9e92d65aeb704fca67ba8432ae80b49',
  5: 'd77e104f20378871db4dbe288263ec9329f6cdd8e9ac8049c8faf238f1c51b89',
  6: 'e9a77bcfa674f0e38acaa1216bc110d2f7494ee6f341e7101c7a300c482e141f',
};

const INSTRUCTIONS = `The hot fold gives another state than FOLD_VERSION ${FOLD_VERSION} promises: nodes would continue wrongly from
existing snapshots. Raise FOLD_VERSION in src/state/snapshots/foldVersion.ts and add a line to DIGESTS here.`;

const history = readFileSync(new URL('../../../test/histories/everyKind.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Omit<RecordedEvent, 'position'> & { version: number });

/** @param onFolded called after each event */
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

test('folds a history of every event type to the states of FOLD_VERSION', () => {
  const digest = createHash('sha256');
  foldHistory((fold) => digest.update(canonicalText(dataOf(fold))));
  expect(digest.digest('hex'), INSTRUCTIONS).toBe(DIGESTS[FOLD_VERSION]);
});

test('the history contains every event type', () => {
  const missing = [...eventTypes.keys()].filter((type) => !history.some((event) => event.type === type));
  expect(
    missing,
    'append events of these types to test/histories/everyKind.ndjson, then proceed as for a changed fold',
  ).toEqual([]);
});

test('the history fills every part of the state', () => {
  const empty = Object.entries(foldHistory().state).filter(([, part]) => part === undefined || part?.size === 0);
  expect(empty.map(([name]) => name)).toEqual([]);
});

test('a new event type or version makes older snapshots unusable', () => {
  const known = [...eventTypes.values()];
  expect(foldNameFor(known)).toBe(foldName);
  expect(foldNameFor([...known, { type: 'QuotaInvented', version: 1 }])).not.toBe(foldName);
  expect(foldNameFor(known.slice(1))).not.toBe(foldName);
  const raised = known.map(({ type, version }) => ({ type, version: type === 'IpAllowed' ? version + 1 : version }));
  expect(foldNameFor(raised)).not.toBe(foldName);
});
