import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { everyKind, foldHistory } from '../../../test/support/everyKind.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import { canonicalText } from './canonicalText.ts';
import { dataOf } from './dataOf.support.ts';
import { FOLD_VERSION, foldName, foldNameFor } from './foldVersion.ts';

/** Digest of the states that each version of the fold gives for `test/histories/everyKind.ndjson`. Lines are added, never changed. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: 'db5d8dc7188ed2096e160b7867cc83c5d204e5a770e7cf9db9e47dbdac899d06',
  2: 'f9b1c7ca40d318645480e47b665e60d903ec71bb7ba76bb40706d7930050523e',
  3: 'f7acfabee382471986263f0d04d268942b813cce2b5d13a989ab29db145a1748',
  4: '6fe097fb4483fcab2ced11d5562bf3c7f249a63495f2411d81ab0a8770fda236',
  5: '4eaf8aa7a29f2c4bfa54aec11e1d1cb4f62fdd363f0229ac23e1bfa112a99acc',
  6: '74b2d730a3797e919168e6e6035fb4748a01ccb69075357ef94bc324135d0dec',
  7: '150120acb2b5f847f6eefe03d895ce0bd122d640937cf1488f2a198637e6c0a8',
  8: '64d3acac79cefd709fea638c506b9d031a7f32578ecc1794f8e2b3ea58fac1f8',
  9: '510c56b095bd3d8ecf7678e857ece234d8c206c6ecf565ec7af63ec14f79e46d',
  10: '92754f8c986f7bad0f07c4412535ad487ebaefcf359467ed2216af7b5a7e40ce',
  11: '6155d56bb3886862892098c4a6199f8e3f32cbcdd8cef2eb7fe4533a34e21d37',
  12: 'ba5ae6f3058381da8ea5049fa672f11f9ba4d089445581412b801e7fdd378809',
  13: 'fd040cf47f27a76315a9128e985e284f16a8902cab7ae07a421ec5f3a991265a',
  14: '014cadf9b127e538cb2daac5941dc5d96e3b98e9bec223a1244d0dc1c4787c2f',
  15: 'a33fd901d913a8122f4e30d8f196f58f79885aec0b02ebc36533955d557ae148',
  16: '017b4e3847c35f5caa566c0150662116a4299f52048a7829633a156e208b4389',
  17: 'd06e5b2f1c861f189f4fda04f1d4992b66ba4a92d0815073d20039fb4ffef183',
  18: '6bda6f0049d3086f578ef4d952bda6ab0d40a1167ebf521ed83071ece217ea5a',
  19: 'cc4d090b77f48c139f6e83a42f4960b1651cbb831067e3e762eede0603db8595',
  20: '4cf245ac7379458725b3fd027793d24dd2e0b992035185824fb9cb1ca0adea7d',
  21: '07a63ae07ecc587abe2d604bf292a177e3b5f1adafd7e83c63d1c3f2b560c711',
  22: '01fdefc921329981c8a391c393622863267e3115ba3f8d6edea50c7da280c7fa',
  23: '0dde5851d979fa24825aa209df9897df60f97222e1a8c81167902486ea96bcf3',
  24: '15ae474911d2a1d5f1c24c4ce1b6c02235dd6c41a6ade3304fb61268c118355c',
  25: '67e7b75de09fe7c49b383931328fc20b8e7b685f9114f6d6feda7b7b49c1b925',
  26: '786418dc02f4d791c6e2c8a8cc48c55344ca39f55dd709d1e20cb9965d23b775',
  27: 'bd772c16fec68567cca76bd6ae81d4390e86395ca5bd2dfd67f08515fe66211b',
  28: '6c3a0a8ef348f4d6fdc2a286dbe974ca873bce9b1ad76161d42dce6205b71822',
  29: '090103aa9dfcb4b4ea374a49460e6b2302df0e2e8960eead3373501717c23d95',
  30: '296712d4ab6a8e419edd8bbe16ed99a9796a71d6ae8a471741c008643111842c',
};

const INSTRUCTIONS = `The hot fold gives another state than FOLD_VERSION ${FOLD_VERSION} promises: nodes would continue wrongly from
existing snapshots and archives. Raise FOLD_VERSION in src/state/snapshots/foldVersion.ts, add a line to DIGESTS here and a step
to UPCASTERS in sealedUpcasters.ts, and run "node test/support/archives/sealHistory.ts" (CONTRIBUTING.md, "Change the fold").`;

test('folds a history of every event type to the states of FOLD_VERSION', () => {
  const digest = createHash('sha256');
  foldHistory(everyKind, (fold) => digest.update(canonicalText(dataOf(fold))));
  expect(digest.digest('hex'), INSTRUCTIONS).toBe(DIGESTS[FOLD_VERSION]);
});

test('the history contains every event type', () => {
  const missing = [...eventTypes.keys()].filter((type) => !everyKind.some((event) => event.type === type));
  expect(
    missing,
    'append events of these types to test/histories/everyKind.ndjson, then proceed as for a changed fold',
  ).toEqual([]);
});

test('the history fills every part of the state', () => {
  const empty = Object.entries(foldHistory(everyKind).state).filter(
    ([, part]) => part === undefined || part?.size === 0,
  );
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
