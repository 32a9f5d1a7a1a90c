import { expect, test } from 'vitest';
import { commands } from '../commands.ts';
import { usageOf } from './usage.ts';

test('fits into 120 columns, with every command', () => {
  const lines = usageOf(commands).split('\n');
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  for (const { name } of commands) expect(lines.some((line) => line.startsWith(`  ${name}`))).toBe(true);
});

test('begins a description in the line below a long call', () => {
  const usage = usageOf([
    {
      name: 'diff',
      usage: [
        ['diff SUBJECT --from MOMENT', 'Print what differs.'],
        ['diff', `Print ${'a word '.repeat(20)}more.`],
      ],
      failureCode: 2,
      load: () => Promise.reject(new Error('not loaded')),
    },
  ]);
  expect(usage.split('\n')).toEqual([
    'Usage: svc diff',
    '',
    '  diff SUBJECT --from MOMENT',
    '                          Print what differs.',
    `  diff                    Print ${'a word '.repeat(12)}a`,
    `                          ${'word a '.repeat(7)}word more.`,
    '',
  ]);
});
