import { describe, expect, test } from 'vitest';
import { AppendPacing } from './appendPacing.ts';

interface Load {
  readonly eventsPerMs: number;
  readonly appends?: number;
  /** How long an append takes, in milliseconds. */
  readonly appendMs?: (events: number) => number;
}

/** As on a disk where a synced commit costs as much as twenty events. */
const usualAppend = (events: number) => 1 + events / 20;

/** The appends of a writer under a steady load: how many events each has, and the pause after it. */
function run(pacing: AppendPacing, { eventsPerMs, appends = 200, appendMs = usualAppend }: Load) {
  const written: { events: number; pauseMs: number }[] = [];
  let waiting = 1;
  while (written.length < appends) {
    const events = waiting;
    const tookMs = appendMs(events);
    const arrived = eventsPerMs * tookMs;
    const pauseMs = pacing.pauseAfter(arrived, tookMs);
    waiting = Math.max(1, arrived + eventsPerMs * pauseMs);
    written.push({ events, pauseMs });
  }
  return { last: written.at(-1), waited: written.filter(({ pauseMs }) => pauseMs > 0).length, written };
}

const busy = () => new AppendPacing(() => true);
const idle = () => new AppendPacing(() => false);

describe('the pacing of appends', () => {
  test('lets each append of a busy thread carry about twice as many events', () => {
    const [paced, unpaced] = [busy(), idle()].map((pacing) => run(pacing, { eventsPerMs: 3.3 }).last?.events ?? 0);
    expect(unpaced).toBeCloseTo(4, 0);
    expect(paced).toBeGreaterThan(2 * (unpaced as number));
    expect(paced).toBeLessThan(4 * (unpaced as number));
  });

  test.each([0.05, 0.5, 1.65])('never waits at %d events a millisecond', (eventsPerMs) => {
    expect(run(busy(), { eventsPerMs }).waited).toBe(0);
  });

  test('never waits while the thread has time', () => {
    expect(run(idle(), { eventsPerMs: 10 }).waited).toBe(0);
  });

  test('never waits where an append carries many events already, as on a slow disk', () => {
    expect(run(busy(), { eventsPerMs: 3.3, appendMs: () => 10 }).waited).toBe(0);
  });

  test('waits two milliseconds at most', () => {
    const { written } = run(busy(), { eventsPerMs: 1, appendMs: () => 5 });
    expect(Math.max(...written.map(({ pauseMs }) => pauseMs))).toBe(2);
  });

  test('begins no pauses for a burst alone', () => {
    const pacing = busy();
    expect([20, 7, 0, 0, 0].map((arrived) => pacing.pauseAfter(arrived, 1))).toEqual([0, 0, 0, 0, 0]);
  });

  test('ends its pauses when the load falls to a half', () => {
    const pacing = busy();
    expect(run(pacing, { eventsPerMs: 3.3 }).last?.pauseMs).toBe(2);
    const { written } = run(pacing, { eventsPerMs: 1.65, appends: 40 });
    expect(written.slice(20).every(({ pauseMs }) => pauseMs === 0)).toBe(true);
  });
});
