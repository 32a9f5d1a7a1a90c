import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/management.ts';
import { signKeyChange } from '../keys/keyChange.ts';
import { leafHash } from '../merkle/hashes.ts';
import { signCheckpoint } from '../notes/checkpoint.ts';
import { signingKeyOf, verifierKey } from '../notes/noteKeys.ts';
import { checkPublished } from './checkPublished.ts';
import { formatContinuation } from './continuation.ts';
import { logOrigin, parseOrigin } from './logOrigin.ts';
import { collectNotes, readPublished } from './readPublished.ts';

const [key, next, other] = [1, 2, 3].map((byte) => signingKeyOf(Buffer.alloc(32, byte))) as [
  ReturnType<typeof signingKeyOf>,
  ReturnType<typeof signingKeyOf>,
  ReturnType<typeof signingKeyOf>,
];
const { origin } = logOrigin(Buffer.from('first'));
const { origin: second } = logOrigin(Buffer.from('first'), { count: 1, lastEntry: Buffer.from('loss') });
const trusted = [verifierKey(origin, key.publicKey)];
const rootOf = (text: string) => leafHash(text);

function note(
  size: number,
  change: { root?: string; origin?: string; by?: typeof key; extensions?: string[] } = {},
): string {
  const { root = `${size}`, by = key, extensions = [] } = change;
  return signCheckpoint({ origin: change.origin ?? origin, size, root: rootOf(root), extensions }, [by]);
}
const check = (notes: readonly string[], keys = trusted) =>
  checkPublished(collectNotes(notes.map((text, at) => ({ source: `${at}`, text }))), keys);
const kinds = (notes: readonly string[], keys = trusted) =>
  check(notes, keys).problems.map(({ kind, source }) => `${kind} ${source}`);

test('derives an origin from the first event, and another one from each accepted loss', () => {
  const installation = leafHash('first').toString('hex', 0, 8);
  const suffix = leafHash('loss').toString('hex', 0, 4);
  expect(parseOrigin(origin)).toEqual({ origin, installation, number: 1, folder: `${installation}/1` });
  expect(parseOrigin(second)).toEqual({
    origin: second,
    installation,
    number: 2,
    folder: `${installation}/2-${suffix}`,
  });
  for (const text of ['svc/1', `${origin}/2`, `${origin}/`, `x${origin}`, 'example.com/log'])
    expect(parseOrigin(text)).toBeUndefined();
});

test('accepts checkpoints in any order, and those of keys that follow from the trusted one', () => {
  const notes = [note(9, { by: next }), note(3), signKeyChange(origin, key, next), note(5)];
  const { origins, problems, keys } = check(notes);
  expect(problems).toEqual([]);
  expect(origins.map(({ checkpoints }) => checkpoints.map(({ size }) => size))).toEqual([[3, 5, 9]]);
  expect(keys).toEqual([key, next].map(({ publicKey }) => publicKey.toString('hex')));
});

test('takes those of keys before the trusted one as not vouched for, unless no other is there', () => {
  const change = signKeyChange(origin, key, next);
  const trustsNext = [verifierKey(origin, next.publicKey)];
  const both = check([note(3), change, note(9, { by: next })], trustsNext);
  expect(both.problems).toEqual([]);
  expect(both.origins.map(({ checkpoints }) => checkpoints.map(({ size }) => size))).toEqual([[3, 9]]);
  expect([...both.unvouched].map(({ size }) => size)).toEqual([3]);
  expect(both.keys).toEqual([next.publicKey.toString('hex')]);
  expect(kinds([note(3), change], trustsNext)).toEqual(['signature 0']);
  expect(kinds([note(3), note(9, { by: next })], trustsNext)).toEqual(['signature 0']);
  expect(kinds([note(9), change, note(9, { by: next, root: 'x' })], trustsNext)).toEqual(['forked 0']);
});

test('finds a key that nobody vouched for, and a change that only the new key has signed', () => {
  expect(kinds([note(3), note(4, { by: other })])).toEqual(['signature 1']);
  const [header, from, to, gap, , signature] = signKeyChange(origin, key, other).split('\n');
  const forged = `${[header, from, to, gap, signature].join('\n')}\n`;
  expect(kinds([note(3), forged, note(4, { by: other })])).toEqual(['signature 1', 'signature 2']);
});

test('finds two roots of one size, a changed note and what is no note', () => {
  expect(kinds([note(3), note(3, { root: 'x' }), note(3)])).toEqual(['forked 1']);
  expect(kinds([note(3).replace('\n3\n', '\n4\n')])).toEqual(['signature 0']);
  expect(kinds(['text'])).toEqual(['unreadable 0']);
  expect(kinds([note(3), note(4, { by: other })], [])).toEqual([]);
});

test('accepts a new origin that names the last checkpoint of the old one', () => {
  const continues = (size: number, root = `${size}`) => [formatContinuation({ origin, size, root: rootOf(root) })];
  const first = (extensions: string[]) => note(8, { origin: second, extensions });
  const { origins, problems } = check([first(continues(9)), note(9), note(3), note(12, { origin: second })]);
  expect(problems).toEqual([]);
  expect(origins.map(({ origin: name, continues: from }) => [name, from?.size])).toEqual([
    [origin, undefined],
    [second, 9],
  ]);
  expect(kinds([first(continues(9, 'x')), note(9)])).toEqual(['forked 0']);
  expect(kinds([first(continues(3)), note(3), note(9)])).toEqual(['continuation 0']);
  expect(kinds([first(['continues nothing']), note(9)])).toEqual(['continuation 0']);
});

test('reads a folder with everything below it, and a file with several notes', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  writeFileSync(join(folder, 'a', 'b', 'x.checkpoint'), note(3));
  writeFileSync(join(folder, 'a', 'cut.checkpoint'), note(4).slice(0, 50));
  writeFileSync(join(folder, 'notes'), note(5) + signKeyChange(origin, key, next) + note(6));
  writeFileSync(join(folder, 'README'), 'text');
  writeFileSync(join(folder, '.svc-draft-1'), 'cut');
  const { checkpoints, keyChanges, unreadable } = readPublished(folder);
  expect(checkpoints.map(({ size }) => size)).toEqual([3, 5, 6]);
  expect(keyChanges.map(({ source }) => source)).toEqual([`${join(folder, 'notes')}#2`]);
  expect(unreadable.map(({ source }) => source)).toEqual([join(folder, 'a', 'cut.checkpoint')]);
  expect(readPublished(join(folder, 'notes')).checkpoints.map(({ note: text }) => text)).toEqual([note(5), note(6)]);
  expect(readPublished(join(folder, 'README')).unreadable).toHaveLength(1);
});
