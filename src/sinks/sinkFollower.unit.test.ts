import { expect, onTestFinished, test, vi } from 'vitest';
import type { StoredRow } from '../integrity/leaf/leafEntry.ts';
import { SinkFailed, type SinkProgress } from './sink.ts';
import { SinkFollower, type SinkFollowerOptions } from './sinkFollower.ts';

const soon = { timeout: 10_000, interval: 2 };

/** A log in memory. @param prefix tells two logs apart */
function aLog(prefix = 'a') {
  const rows: StoredRow[] = [];
  const hashOf = (position: number) => `${prefix}${position}`;
  const grow = (count: number, data: object = {}) => {
    for (let added = 0; added < count; added += 1) {
      const position = rows.length + 1;
      rows.push({
        ...{
          position,
          stream: 'settings-main',
          revision: position - 1,
          id: `${prefix}-${position}`,
          version: 1,
          time: position,
        },
        type: 'SettingsChanged',
        data: JSON.stringify(data),
        metadata: JSON.stringify({ hash: hashOf(position) }),
      });
    }
  };
  return {
    grow,
    /** Archived: their payloads are gone. */
    remove: (from: number, to: number) => void rows.splice(from - 1, to - from + 1),
    log: {
      after: (position: number, limit: number) => rows.filter((row) => row.position > position).slice(0, limit),
      end: () => rows.at(-1)?.position ?? 0,
      hashAt: (position: number) => (rows.some((row) => row.position === position) ? hashOf(position) : undefined),
      origin: () => 'svc/0123456789abcdef',
    },
  };
}

interface Delivery {
  /** Throws to refuse a batch. */
  readonly take?: (lines: readonly string[]) => void;
  readonly mark?: SinkProgress | undefined;
}

function follow(
  log: SinkFollowerOptions['log'],
  { take, mark }: Delivery = {},
  options: Partial<SinkFollowerOptions> = {},
) {
  const kept = { mark };
  const taken: number[] = [];
  const batches: number[] = [];
  const failures: (string | undefined)[] = [];
  const others: number[] = [];
  const follower = new SinkFollower({
    log,
    target: {
      async deliver(lines) {
        take?.(lines);
        batches.push(lines.length);
        for (const line of lines) taken.push(Number(JSON.parse(line).position));
      },
      close: () => undefined,
    },
    mark: { read: () => kept.mark, write: (progress) => void Object.assign(kept, { mark: progress }) },
    ...{ format: 'cloudevents', start: 'beginning', now: () => 7, onProgress: () => undefined },
    onFailure: (failure) => void failures.push(failure?.message),
    onOtherLog: (position) => void others.push(position),
    ...{ firstPauseMs: 1, maxPauseMs: 4 },
    ...options,
  } as SinkFollowerOptions);
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  return { follower, taken, batches, failures, others, kept, end };
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('delivers every event in order, also what is added meanwhile', async () => {
  const { log, grow } = aLog();
  grow(1_234);
  const { taken, follower, kept } = follow(log);
  await vi.waitFor(() => expect(taken).toHaveLength(1_234), soon);
  grow(10);
  follower.notify();
  await vi.waitFor(() => expect(kept.mark).toEqual({ position: 1_244, hash: 'a1244', deliveredAt: 7 }), soon);
  expect(taken).toEqual(upTo(1_244));
});

test('loses and reorders nothing while the sink fails now and then, and says when it does again', async () => {
  const { log, grow } = aLog();
  grow(3_000);
  let attempt = 0;
  const take = () => {
    attempt += 1;
    if (attempt % 3 !== 0) throw new SinkFailed('it is away.', 'Bring it back.');
  };
  const { taken, failures } = follow(log, { take });
  await vi.waitFor(() => expect(taken).toHaveLength(3_000), soon);
  expect(taken).toEqual(upTo(3_000));
  await vi.waitFor(() => expect(failures.at(-1)).toBeUndefined(), soon);
  expect(failures.filter((failure) => failure !== undefined).length).toBeGreaterThan(1);
});

test('a sink that fails is not asked more often because the log grows, until it is to be asked at once', async () => {
  const { log, grow } = aLog();
  grow(1);
  let attempts = 0;
  let isAway = true;
  const take = () => {
    attempts += 1;
    if (isAway) throw new SinkFailed('it is away.', 'Bring it back.');
  };
  const { taken, follower } = follow(log, { take }, { firstPauseMs: 60_000, maxPauseMs: 60_000 });
  await vi.waitFor(() => expect(attempts).toBe(1), soon);
  for (let times = 0; times < 20; times += 1) {
    grow(1);
    follower.notify();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(attempts).toBe(1);
  isAway = false;
  follower.retryNow();
  await vi.waitFor(() => expect(taken).toEqual(upTo(21)), soon);
});

test('continues after a restart from where it was', async () => {
  const { log, grow } = aLog();
  grow(5);
  const first = follow(log);
  await vi.waitFor(() => expect(first.taken).toHaveLength(5), soon);
  await first.end();
  grow(5);
  const second = follow(log, { mark: first.kept.mark });
  await vi.waitFor(() => expect(second.taken).toEqual(upTo(10, 6)), soon);
});

test.each([
  ['now', [11, 12]],
  [3, upTo(12, 4)],
] as const)('begins at %s where nothing was delivered yet', async (start, expected) => {
  const { log, grow } = aLog();
  grow(10);
  const { taken, follower } = follow(log, {}, { start });
  grow(2);
  follower.notify();
  await vi.waitFor(() => expect(taken).toEqual(expected), soon);
});

test('sends fewer events at once when a batch is too large, down to one', async () => {
  const { log, grow } = aLog();
  grow(40);
  const take = (lines: readonly string[]) => {
    if (lines.length > 1) throw new SinkFailed('413', '', { isTooLarge: true });
  };
  const { taken, failures } = follow(log, { take });
  await vi.waitFor(() => expect(taken).toEqual(upTo(40)), soon);
  expect(failures).toEqual([]);
});

test('a single event that is too large is a failure, not a loop', async () => {
  const { log, grow } = aLog();
  grow(1);
  const take = () => {
    throw new SinkFailed('413', '', { isTooLarge: true });
  };
  const { failures, taken } = follow(log, { take });
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(1), soon);
  expect(taken).toEqual([]);
});

test('no batch has more than 1 MB, unless one event has', async () => {
  const { log, grow } = aLog();
  grow(60, { text: 'x'.repeat(60_000) });
  const { taken, batches } = follow(log);
  await vi.waitFor(() => expect(taken).toHaveLength(60), soon);
  expect(Math.max(...batches)).toBeLessThanOrEqual(16);
});

test('goes on behind archived events', async () => {
  const { log, grow, remove } = aLog();
  grow(20);
  remove(5, 12);
  const { taken } = follow(log);
  await vi.waitFor(() => expect(taken).toEqual([...upTo(4), ...upTo(20, 13)]), soon);
});

test('is not taken for another log when the last delivered event is archived meanwhile', async () => {
  const { log, grow, remove } = aLog();
  grow(20);
  remove(5, 12);
  const { taken, others } = follow(log, { mark: { position: 8, hash: 'a8', deliveredAt: 1 } });
  await vi.waitFor(() => expect(taken).toEqual(upTo(20, 13)), soon);
  expect(others).toEqual([]);
});

test.each([
  ['has another event there', 'b', 8],
  ['is shorter', 'a', 30],
])('a log that %s is delivered from its beginning', async (_, prefix, position) => {
  const { log, grow } = aLog(prefix);
  grow(10);
  const { taken, others } = follow(log, { mark: { position, hash: `a${position}`, deliveredAt: 1 } });
  await vi.waitFor(() => expect(taken).toEqual(upTo(10)), soon);
  expect(others).toEqual([position]);
});
