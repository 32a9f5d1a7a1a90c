import { expect, test } from 'vitest';
import { WantedNames } from './wantedNames.ts';

const hash = (index: number): string => index.toString(16).padStart(64, '0');

test('has the names that it was given, and no others', () => {
  const names = ['', 'x', 'é', ...Array.from({ length: 50 }, (_, index) => hash(index * 7))];
  const wanted = new WantedNames(names);
  for (const name of names) expect(wanted.has(name)).toBe(true);
  const others = Array.from({ length: 1_000 }, (_, index) => hash(index)).filter((name) => !names.includes(name));
  for (const name of [...others, 'y', 'xx', 'ab']) expect(wanted.has(name)).toBe(false);
});

test('has nothing when nothing is wanted', () => {
  const wanted = new WantedNames([]);
  for (const name of ['', 'x', hash(1)]) expect(wanted.has(name)).toBe(false);
});
