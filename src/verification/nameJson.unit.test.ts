import { expect, test } from 'vitest';
import { idJson, RepeatedNameJson } from './nameJson.ts';

const NAMES = [
  '',
  '019ad0a4-6b6f-7c1e-9b1e-0d6d5d1f8a11',
  'requests-n1.b1_00000001',
  'a "quoted" one',
  'back\\slash',
  'line\nfeed',
  'Zoë',
  '\ud800',
  '\u2028',
];

test.each(NAMES)('writes %j as JSON.stringify does', (name) => {
  expect(idJson(name)).toBe(JSON.stringify(name));
});

test('writes names that repeat and alternate as JSON.stringify does', () => {
  const json = new RepeatedNameJson();
  for (const name of [...NAMES, ...NAMES.toReversed(), ...NAMES]) expect(json.of(name)).toBe(JSON.stringify(name));
});
