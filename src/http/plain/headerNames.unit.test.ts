import { expect, test } from 'vitest';
import { HeaderNames } from './headerNames.ts';

test('finds a name in the next head, and forgets names when there are too many', () => {
  const names = new HeaderNames();
  const readIn = (text: string) => {
    names.beginHead();
    return names.read(text);
  };
  const first = readIn('X-One');
  expect(first).toMatchObject({ text: 'X-One', key: { inLowerCase: 'x-one' } });
  expect(readIn('X-One')).toBe(first);
  expect(readIn('x-one')?.key).toBe(first?.key);
  for (let index = 0; index < 1_000; index += 1) readIn(`X-Made-Up-${index}`);
  const again = readIn('X-One');
  expect(again).toEqual({ text: 'X-One', key: { inLowerCase: 'x-one', seenIn: expect.any(Number) } });
  expect(again?.key).not.toBe(first?.key);
});
