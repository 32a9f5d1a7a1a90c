import { expect, test } from 'vitest';
import { type Edit, spliceJson } from './spliceJson.ts';

const raw = Buffer.from('[ a , bb,ccc ,d ]');

/** @param edits replacements by element; undefined removes it */
function spliced(edits: Record<string, string | undefined>, added: string[] = []): string {
  const list: Edit[] = Object.entries(edits).map(([element, replacement]) => {
    const start = raw.indexOf(element);
    return {
      start,
      end: start + element.length,
      replacement: replacement === undefined ? undefined : [Buffer.from(replacement)],
    };
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

test('returns the inside unchanged without edits', () => expect(spliced({})).toBe('a , bb,ccc ,d'));

test('leaves the neighbours of a replaced element unchanged', () => {
  expect(spliced({ bb: 'x' })).toBe('a,x,ccc ,d');
  expect(spliced({ a: 'x' })).toBe('x,bb,ccc ,d');
  expect(spliced({ d: 'x' })).toBe('a , bb,ccc,x');
});

test('removes the comma of a removed element', () => {
  expect(spliced({ a: undefined })).toBe('bb,ccc ,d');
  expect(spliced({ bb: undefined, ccc: undefined })).toBe('a,d');
  expect(spliced({ d: undefined })).toBe('a , bb,ccc');
  expect(spliced({ a: undefined, bb: undefined, ccc: undefined, d: undefined })).toBe('');
});

test('appends elements, even to an empty list', () => {
  expect(spliced({ ccc: 'x' }, ['y', 'z'])).toBe('a , bb,x,d,y,z');
  expect(spliced({ a: undefined, bb: undefined, ccc: undefined, d: undefined }, ['y'])).toBe('y');
});
