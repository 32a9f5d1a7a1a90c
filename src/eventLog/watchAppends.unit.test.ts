import { expect, test, vi } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { scriptedLog } from '../../test/contract/scriptedLog.ts';
import { Faults } from '../lib/faults.ts';
import { type AppendOutcome, LOG_CLOSED, NO_STREAM } from './eventLog.ts';
import { type WatchAppendsOptions, watchAppends } from './watchAppends.ts';

const SOON = { interval: 1 };
const unknown: AppendOutcome = { kind: 'unknown', error: new Error('disk I/O error') };

/** A watched log whose writer reports ends and answers probes as a test says. */
function aWatchedLog(
  script: () => 'written' | AppendOutcome | Promise<'written' | AppendOutcome>,
  probe: () => Promise<void> = () => Promise.resolve(),
  options: Partial<WatchAppendsOptions> = {},
) {
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: () => 7 });
  const probes = vi.fn(probe);
  const log = { ...scriptedLog(script).log, probe: probes };
  const watched = watchAppends(log, { faults, path: '/data/log.sqlite', slowMs: 4, ...options });
  let revision = NO_STREAM;
  const append = async () => {
    const outcome = await watched.append('firewall-main', revision, [anEvent()]);
    if (outcome.kind === 'committed') revision = outcome.revision;
    return outcome.kind;
  };
  return { watched, append, faults, lines, probes };
}

test('an append whose end is not reported is a fault until it is', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { watched, append, faults, lines, probes } = aWatchedLog(() => gate.promise);
  const appended = append();
  expect(watched.isFailing()).toBe(false);
  await vi.waitUntil(() => watched.isFailing(), SOON);
  expect(faults.current).toEqual([
    {
      code: 'log_write_failing',
      subject: '/data/log.sqlite',
      cause: expect.stringMatching(/^The disk has not confirmed a write to \/data\/log\.sqlite for \d+ s\. New model/),
      remedy: expect.stringMatching(/^Check the disk/),
      since: 7,
    },
  ]);
  gate.resolve('written');
  expect(await appended).toBe('committed');
  expect({ isFailing: watched.isFailing(), current: faults.current, lines: lines.length }).toEqual({
    isFailing: false,
    current: [],
    lines: 2,
  });
  expect(probes).not.toHaveBeenCalled();
});

test('an append that failed is a fault until a probe succeeds, also when nothing else is appended', async () => {
  let isBroken = true;
  const { watched, append, faults, probes } = aWatchedLog(
    () => unknown,
    () => (isBroken ? Promise.reject(new Error('disk I/O error')) : Promise.resolve()),
  );
  expect(await append()).toBe('unknown');
  expect(watched.isFailing()).toBe(true);
  expect(faults.current).toMatchObject([{ cause: expect.stringContaining('cannot be written: disk I/O error.') }]);
  await vi.waitUntil(() => probes.mock.calls.length > 1, SOON);
  expect(watched.isFailing()).toBe(true);
  isBroken = false;
  await vi.waitUntil(() => !watched.isFailing(), SOON);
  expect(faults.current).toEqual([]);
});

test('makes one probe at a time, and none while an append is open', async () => {
  const gate = Promise.withResolvers<void>();
  const outcomes = [unknown, new Promise<'written'>(() => {})] as const;
  let next = 0;
  const { append, probes } = aWatchedLog(
    () => outcomes[next++] as AppendOutcome,
    () => gate.promise,
    { slowMs: 2 },
  );
  await append();
  await vi.waitUntil(() => probes.mock.calls.length === 1, SOON);
  void append();
  gate.resolve();
  const ticks = vi.fn();
  const timer = setInterval(ticks, 2);
  await vi.waitUntil(() => ticks.mock.calls.length > 5, SOON);
  clearInterval(timer);
  expect(probes).toHaveBeenCalledOnce();
});

test('rejects appends without a call while nothing may be written', async () => {
  const script = vi.fn(() => 'written' as const);
  let refusal: string | undefined = 'log.sqlite was deleted';
  const { watched, append } = aWatchedLog(script, undefined, { refusal: () => refusal });
  expect([await append(), watched.isFailing()]).toEqual(['rejected', true]);
  expect(script).not.toHaveBeenCalled();
  refusal = undefined;
  expect([await append(), watched.isFailing()]).toEqual(['committed', false]);
});

test('a log that rejects events is failing until a probe succeeds, without a line of its own', async () => {
  let isFull = true;
  const { watched, append, lines, probes } = aWatchedLog(
    () => ({ kind: 'rejected', reason: 'disk is full' }),
    () => (isFull ? Promise.reject(new Error('disk is full')) : Promise.resolve()),
  );
  expect([await append(), watched.isFailing()]).toEqual(['rejected', true]);
  await vi.waitUntil(() => probes.mock.calls.length > 1, SOON);
  expect(watched.isFailing()).toBe(true);
  isFull = false;
  await vi.waitUntil(() => !watched.isFailing(), SOON);
  expect(lines).toEqual([]);
});

test('an append that is itself refused is no fault of the disk', async () => {
  const outcomes: AppendOutcome[] = [
    { kind: 'conflict', actualRevision: 3 },
    { kind: 'rejected', reason: 'too large', isLogFine: true },
    { kind: 'rejected', reason: LOG_CLOSED },
  ];
  const { watched, append, lines } = aWatchedLog(() => outcomes.shift() ?? 'written');
  for (const kind of ['conflict', 'rejected', 'rejected', 'committed']) {
    expect([await append(), watched.isFailing()]).toEqual([kind, false]);
  }
  expect(lines).toEqual([]);
});

test('probes an idle log that is asked about, and neither one that was just written nor one that is failing', async () => {
  let isBroken = true;
  let time = 0;
  const { watched, append, faults, probes } = aWatchedLog(
    () => 'written',
    () => (isBroken ? Promise.reject(new Error('disk I/O error')) : Promise.resolve()),
    { now: () => time, slowMs: 1_000_000 },
  );
  await append();
  time = 4_999;
  await watched.checkIdle();
  expect([probes.mock.calls.length, watched.isFailing()]).toEqual([0, false]);
  time = 5_000;
  await Promise.all([watched.checkIdle(), watched.checkIdle()]);
  expect([probes.mock.calls.length, watched.isFailing()]).toEqual([1, true]);
  expect(faults.current).toMatchObject([{ cause: expect.stringContaining('cannot be written: disk I/O error.') }]);
  await watched.checkIdle();
  isBroken = false;
  await append();
  expect([probes.mock.calls.length, watched.isFailing(), faults.current]).toEqual([1, false, []]);
});

test('an idle log whose probe does not return is failing', async () => {
  const gate = Promise.withResolvers<void>();
  let time = 0;
  const { watched } = aWatchedLog(
    () => 'written',
    () => gate.promise,
    { now: () => time },
  );
  time = 10_000;
  const checked = watched.checkIdle();
  expect(watched.isFailing()).toBe(false);
  time = 10_004;
  await vi.waitUntil(() => watched.isFailing(), SOON);
  gate.resolve();
  await checked;
  expect(watched.isFailing()).toBe(false);
});
