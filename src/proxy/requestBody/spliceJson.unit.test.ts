import { expect, test } from 'vitest';
import { type Edit, spliceJson } from './spliceJson.ts';

const raw = Buffer.from('[ a , bb,ccc ,d ]');

/** Edits of elements by what they are. */
function spliced(edits: Record<string, string | undefined>, added: string[] = []): string {
  const list: Edit[] = Object.entries(edits).map(([element, by]) => {
    const start = raw.indexOf(element);
    return { start, end: start + element.length, replacement: by === undefined ? undefined : [Buffer.from(by)] };
  });
  const pieces = spliceJson(
    raw,
    1,
    raw.length - 1,
    list,
    added.map((text) => Buffer.from(text)),
  );
  return Buffer.concat(pieces).toString();
}

test('without edits the inside stays as it is', () => expect(spliced({})).toBe('a , bb,ccc ,d'));

test('what is replaced leaves its neighbours as they are', () => {
  expect(spliced({ bb: 'x' })).toBe('a,x,ccc ,d');
  expect(spliced({ a: 'x' })).toBe('x,bb,ccc ,d');
  expect(spliced({ d: 'x' })).toBe('a , bb,ccc,x');
});

test('what is left out takes its comma along', () => {
  expect(spliced({ a: undefined })).toBe('bb,ccc ,d');
  expect(spliced({ bb: undefined, ccc: undefined })).toBe('a,d');
  expect(spliced({ d: undefined })).toBe('a , bb,ccc');
  expect(spliced({ a: undefined, bb: undefined, ccc: undefined, d: undefined })).toBe('');
});

test('what is added comes last, also when nothing is left', () => {
  expect(spliced({ ccc: 'x' }, ['y', 'z'])).toBe('a , bb,x,d,y,z');
  expect(spliced({ a: undefined, bb: undefined, ccc: undefined, d: undefined }, ['y'])).toBe('y');
});
