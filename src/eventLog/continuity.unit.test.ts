import { expect, test } from 'vitest';
import { Continuity, type EventLink } from './continuity.ts';
import { NO_HASH } from './hashChain.ts';

const link = (position: number, stream: string, revision: number, previousHash: string | undefined): EventLink => ({
  position,
  stream,
  revision,
  previousHash,
  hash: `${stream}${revision}`,
});

const chain = [
  link(1, 'a', 0, NO_HASH),
  link(2, 'b', 0, NO_HASH),
  link(3, 'a', 1, 'a0'),
  link(4, 'a', 2, 'a1'),
  link(5, 'b', 1, 'b0'),
];

const hashAt = (stream: string, revision: number) =>
  chain.find((event) => event.stream === stream && event.revision === revision)?.hash;

test('accepts a log, read from its beginning or from any position', () => {
  for (let after = 0; after < chain.length; after += 1) {
    const continuity = new Continuity(after, hashAt);
    expect(chain.slice(after).map((event) => continuity.check(event))).toEqual(chain.slice(after).map(() => undefined));
  }
});

test.each([
  ['a missing position', link(6, 'a', 3, 'a2'), 4, 'follows position 4'],
  ['a missing revision', link(6, 'a', 4, 'a3'), 5, 'is revision 4 of its stream, but follows revision 2'],
  ['a repeated revision', link(6, 'a', 2, 'a1'), 5, 'is revision 2 of its stream, but follows revision 2'],
  [
    'a stream without its beginning',
    link(6, 'c', 7, 'c6'),
    5,
    'is revision 7 of its stream, but revision 6 is missing',
  ],
  ['another predecessor', link(6, 'b', 2, 'x'), 5, 'does not have the hash of the event before it in its stream'],
])('names %s, and accepts what continues it', (_what, event, upTo, reason) => {
  const continuity = new Continuity(0, hashAt);
  for (const before of chain.slice(0, upTo)) expect(continuity.check(before)).toBeUndefined();
  const { position, stream, revision } = event;
  expect(continuity.check(event)).toEqual({ position, stream, revision, reason });
  expect(continuity.check(link(7, stream, revision + 1, event.hash))).toBeUndefined();
});

test('does not compare hashes with an event that svc did not write', () => {
  const continuity = new Continuity(0, () => undefined);
  expect(continuity.check({ ...link(1, 'a', 0, undefined), hash: undefined })).toBeUndefined();
  expect(continuity.check(link(2, 'a', 1, 'anything'))).toBeUndefined();
});

test('accepts the rest of a day whose rows are being removed, and no other gap of a stream', () => {
  const isArchived = (first: number, last: number) => first >= 6 && last <= 9;
  // Of the archived revisions 3 and 4 of `a` the last one is still there.
  const known = (stream: string, revision: number) =>
    stream === 'a' && revision === 3 ? null : hashAt(stream, revision);
  const continuity = new Continuity(0, known, isArchived);
  for (const event of chain) expect(continuity.check(event)).toBeUndefined();
  expect(continuity.check(link(10, 'a', 4, 'a3'))).toBeUndefined();
  expect(continuity.check(link(11, 'b', 2, 'b1'))).toBeUndefined();
  expect(continuity.check(link(12, 'b', 4, 'b3'))?.reason).toContain('follows revision 2');
  expect(continuity.check(link(14, 'a', 5, 'a4'))?.reason).toBe('follows position 12');
});
