import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, earlier, HOUR, later } from '../../../test/support/specification.ts';
import { type Instant, instant } from '../core/brands.ts';
import { windowAt, windowIndexAt } from './limitWindows.ts';

const utc = (text: string) => instant(Date.parse(text));
const createdAt = utc('2026-01-15T12:34:56.789Z');
const daily = { limitWindow: 'daily', createdAt } as const;
const weekly = { limitWindow: 'weekly', createdAt } as const;
const monthly = { limitWindow: 'monthly', createdAt } as const;
const resetOf = (rule: Parameters<typeof windowAt>[0], at: Instant) =>
  new Date(windowAt(rule, at).resetAt).toISOString();

test("the first daily window lasts 24 hours from the rule's creation", () => {
  expect(windowAt(daily, createdAt)).toEqual({ index: 0, resetAt: later(DAY, createdAt) });
  expect(windowAt(daily, later(DAY - 1, createdAt)).index).toBe(0);
  expect(windowAt(daily, later(DAY, createdAt))).toEqual({ index: 1, resetAt: later(2 * DAY, createdAt) });
});

test("a weekly window lasts seven days from the rule's creation", () => {
  expect(windowAt(weekly, later(7 * DAY - 1, createdAt))).toEqual({ index: 0, resetAt: later(7 * DAY, createdAt) });
  expect(windowAt(weekly, later(7 * DAY, createdAt)).index).toBe(1);
});

test('a daily window keeps its hour across leap days and years', () => {
  expect(resetOf(daily, utc('2028-02-29T00:00:00Z'))).toBe('2028-02-29T12:34:56.789Z');
  expect(resetOf(daily, utc('2026-12-31T23:00:00Z'))).toBe('2027-01-01T12:34:56.789Z');
});

test('a monthly window ends on the 1st at midnight UTC, whenever the rule was created', () => {
  expect(resetOf(monthly, createdAt)).toBe('2026-02-01T00:00:00.000Z');
  expect(resetOf(monthly, utc('2026-02-01T00:00:00Z'))).toBe('2026-03-01T00:00:00.000Z');
});

test('the monthly window of December ends with the year', () => {
  expect(resetOf(monthly, utc('2026-12-31T23:59:59.999Z'))).toBe('2027-01-01T00:00:00.000Z');
  const [december, january] = [
    windowAt(monthly, utc('2026-12-31T00:00:00Z')),
    windowAt(monthly, utc('2027-01-01T00:00:00Z')),
  ];
  expect(january.index - december.index).toBe(1);
});

test('February has 29 days in a leap year', () => {
  expect(resetOf(monthly, utc('2028-02-29T23:59:59.999Z'))).toBe('2028-03-01T00:00:00.000Z');
  expect(resetOf(monthly, utc('2027-02-28T23:59:59.999Z'))).toBe('2027-03-01T00:00:00.000Z');
});

describe('before the rule was created', () => {
  test.each([daily, weekly, monthly])('$limitWindow windows have a negative number', (rule) => {
    for (const before of [1, HOUR, 40 * DAY]) {
      expect(windowAt(rule, earlier(before, createdAt)).index).toBeLessThan(0);
    }
    expect(windowAt(rule, createdAt).index).toBeGreaterThanOrEqual(0);
  });
});

test('windows follow each other without gaps or overlaps', () => {
  const rules = fc.record({
    limitWindow: fc.constantFrom('daily', 'weekly', 'monthly'),
    createdAt: fc.integer({ min: Date.UTC(2020), max: Date.UTC(2030) }).map(instant),
  });
  fc.assert(
    fc.property(rules, fc.integer({ min: 0, max: 4_000 * DAY }), (rule, age) => {
      const at = later(age, rule.createdAt);
      const { index, resetAt } = windowAt(rule, at);
      expect(resetAt).toBeGreaterThan(at);
      expect(windowAt(rule, earlier(1, resetAt))).toEqual({ index, resetAt });
      expect(windowAt(rule, resetAt).index).toBe(index + 1);
    }),
  );
});

test('monthly windows follow the calendar in every year', () => {
  const oldRule = { limitWindow: 'monthly', createdAt: instant(0) } as const;
  const calendar = (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: utc('2999-12-31T23:59:59Z') }), (at) => {
      const { index, resetAt } = windowAt(oldRule, instant(at));
      expect(index).toBe(calendar(at));
      expect([windowIndexAt(oldRule, instant(resetAt - 1)), windowIndexAt(oldRule, resetAt)]).toEqual([
        index,
        index + 1,
      ]);
    }),
    { numRuns: 2_000 },
  );
  for (let day = 0; day < 900 * 365; day++) {
    const at = day * DAY;
    if (windowIndexAt(oldRule, instant(at)) !== calendar(at)) expect.unreachable(new Date(at).toISOString());
  }
});
