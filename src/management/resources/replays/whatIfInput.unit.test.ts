import { expect, test } from 'vitest';
import { parseWhatIf } from './whatIfInput.ts';

const DAILY = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 };

test.each([
  ['nokey', [DAILY], { param: 'limits.keys.nokey', problem: 'must be the id of an API key, or * for every other key' }],
  ['*', 5, { param: 'limits.keys.*', problem: 'must be an array' }],
  ['*', [DAILY, { ...DAILY, max_value: 0 }], { param: 'limits.keys.*.1.max_value', problem: 'must be at least 1' }],
])('names what is wrong with limits of the key %j', (key, limits, problem) => {
  expect(parseWhatIf({ limits: { keys: { [key]: limits } } })).toEqual({ problem });
});
