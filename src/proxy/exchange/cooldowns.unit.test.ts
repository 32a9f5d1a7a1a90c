import { expect, test } from 'vitest';
import { type AccountId, instant } from '../../domain/core/brands.ts';
import { Cooldowns } from './cooldowns.ts';

const account = 'a' as AccountId;
const at = (ms: number) => instant(1_000_000 + ms);

test('cools down for 1 s after a failure, doubled by each repetition up to 60 s', () => {
  const cooldowns = new Cooldowns(() => at(0));
  const lengths: number[] = [];
  let now = at(0);
  for (let failure = 0; failure < 9; failure++) {
    const until = cooldowns.add(account, 'provider_error', now);
    lengths.push(until - now);
    now = until;
  }
  expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('counts requests that fail together as one failure', () => {
  const cooldowns = new Cooldowns(() => at(0));
  for (let request = 0; request < 20; request++) cooldowns.add(account, 'provider_error', at(request));
  expect((cooldowns.current.get(account)?.until ?? 0) - at(19)).toBeLessThanOrEqual(1_000);
});

test('starts over after a success', () => {
  const cooldowns = new Cooldowns(() => at(0));
  cooldowns.add(account, 'x', at(0));
  cooldowns.add(account, 'x', at(1_000));
  cooldowns.clear(account);
  expect(cooldowns.add(account, 'x', at(5_000))).toBe(at(6_000));
});

test('uses the wait that the provider asks for when it is longer', () => {
  const cooldowns = new Cooldowns(() => at(0));
  expect(cooldowns.add(account, 'throttled', at(0), 7_000)).toBe(at(7_000));
});

test('keeps a limit until its reset, or until the log has it', () => {
  const cooldowns = new Cooldowns(() => at(0));
  cooldowns.limit(account, 'usage_limit', at(600_000));
  expect(cooldowns.current.get(account)?.until).toBe(at(600_000));
  cooldowns.forgetLimit(account);
  expect(cooldowns.current.has(account)).toBe(false);
});

test('does not end a cool-down when a limit is forgotten', () => {
  const cooldowns = new Cooldowns(() => at(0));
  cooldowns.add(account, 'x', at(0));
  cooldowns.forgetLimit(account);
  expect(cooldowns.current.has(account)).toBe(true);
});
