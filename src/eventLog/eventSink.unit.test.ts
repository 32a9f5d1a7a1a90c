import { expect, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../test/contract/events.ts';
import { type AppendScript, type ScriptedLog, scriptedLog } from '../../test/contract/scriptedLog.ts';
import { instant } from '../domain/core/brands.ts';
import { type AppendOutcome, type EventToAppend, NO_STREAM } from './eventLog.ts';
import { createEventSink, type EventSinkOptions } from './eventSink.ts';

const unavailable = expect.objectContaining({ code: 'log_unavailable' });

function aSink(script: AppendScript, options: Partial<EventSinkOptions> = {}) {
  const scripted: ScriptedLog = scriptedLog(script);
  const sink = createEventSink({ log: scripted.log, node: 'n1', boot: 'b1', category: 'requests', ...options });
  return { ...scripted, sink };
}

test('writes an event to the stream of its UTC day and counts revisions per stream', async () => {
  const { sink, received } = aSink(() => 'written');
  const lateInTheDay = anEvent({ time: instant(Date.UTC(2026, 1, 28, 23, 59, 59, 999)) });
  const earlyTheNext = anEvent({ time: instant(Date.UTC(2026, 2, 1)) });
  await Promise.all(
    [lateInTheDay, earlyTheNext, anEvent({ time: lateInTheDay.time })].map((event) => sink.record(event)),
  );
  expect(received.map(({ stream, expected }) => [stream, expected])).toEqual([
    ['requests-n1.b1_20260228', NO_STREAM],
    ['requests-n1.b1_20260301', NO_STREAM],
    ['requests-n1.b1_20260228', 0],
  ]);
});

test('appends the events of one turn together and those that arrive later in the next append', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { sink, received } = aSink(() => gate.promise);
  const [first, second, ...later] = someEvents(40) as [EventToAppend, EventToAppend, ...EventToAppend[]];
  const early = [first, second].map((event) => sink.record(event));
  await vi.waitFor(() => expect(received).toHaveLength(1));
  const positions = Promise.all([...early, ...later.map((event) => sink.record(event))]);
  expect(sink.pending).toBe(40);
  gate.resolve('written');
  expect(await positions).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  expect(received.map(({ events, expected }) => [expected, events.length])).toEqual([
    [NO_STREAM, 2],
    [1, 38],
  ]);
  expect(sink.pending).toBe(0);
});

test('appends the events of a pause together', async () => {
  const paused = Promise.withResolvers<void>();
  const pacing = {
    pauseAfter: (arrived: number) => {
      if (arrived > 0) paused.resolve();
      return arrived > 0 ? 50 : 0;
    },
  };
  const gate = Promise.withResolvers<'written'>();
  const { sink, received } = aSink(() => gate.promise, { pacing });
  const [first, during, inThePause] = someEvents(3) as [EventToAppend, EventToAppend, EventToAppend];
  const recorded = [sink.record(first)];
  await vi.waitFor(() => expect(received).toHaveLength(1));
  recorded.push(sink.record(during));
  gate.resolve('written');
  await paused.promise;
  recorded.push(sink.record(inThePause));
  expect(await Promise.all(recorded)).toEqual([1, 2, 3]);
  expect(received.map(({ events }) => events.length)).toEqual([1, 2]);
});

test('repeats an append of unknown outcome unchanged until the outcome is known', async () => {
  const steps = ['unknown', 'written, response lost', 'unknown'];
  const { sink, received, written } = aSink(() => {
    const step = steps.shift();
    if (step === 'written, response lost') return step;
    return step ? { kind: 'unknown', error: new Error('down') } : 'written';
  });
  const events = someEvents(3);
  expect(await Promise.all(events.map((event) => sink.record(event)))).toEqual([1, 2, 3]);
  const [first, ...repeats] = received.slice(0, 4);
  for (const repeat of repeats) expect(repeat).toEqual(first);
  expect(written).toEqual(events);
});

test('treats an append that throws as one of unknown outcome', async () => {
  let calls = 0;
  const { sink, written } = aSink(() => {
    calls += 1;
    if (calls === 1) throw new Error('connection reset');
    return 'written';
  });
  await sink.record(anEvent());
  expect(written).toHaveLength(1);
});

test('fails each event while the disk is full, and writes later ones without a gap', async () => {
  let isFull = false;
  const { sink, written } = aSink(() => (isFull ? { kind: 'rejected', reason: 'disk is full' } : 'written'));
  await sink.record(anEvent());
  isFull = true;
  const results = await Promise.allSettled(someEvents(10).map((event) => sink.record(event)));
  expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: unavailable })));
  isFull = false;
  expect(await Promise.all(someEvents(5).map((event) => sink.record(event)))).toEqual([2, 3, 4, 5, 6]);
  expect(written).toHaveLength(6);
});

test('writes the other events of a batch when the log rejects one', async () => {
  const bad = anEvent();
  const { sink, written } = aSink(({ events }) =>
    events.includes(bad) ? { kind: 'rejected', reason: 'not valid' } : 'written',
  );
  const good = someEvents(20);
  const mixed = [...good.slice(0, 11), bad, ...good.slice(11)];
  const outcomes = await Promise.allSettled(mixed.map((event) => sink.record(event)));
  expect(outcomes.map(({ status }) => status)).toEqual(
    mixed.map((event) => (event === bad ? 'rejected' : 'fulfilled')),
  );
  expect(written).toEqual(good);
});

test('keeps accepting events after one that the log can never keep', async () => {
  const bad = anEvent();
  const { sink } = aSink(({ events }) =>
    events.includes(bad) ? { kind: 'rejected', reason: 'it has 70,000 bytes', isLogFine: true } : 'written',
  );
  await expect(sink.record(bad)).rejects.toMatchObject(unavailable);
  expect(sink.mayBegin()).toBe(true);
});

test('continues the streams of an earlier sink of the same boot', async () => {
  const { sink, log, written } = aSink(() => 'written');
  await Promise.all(someEvents(3).map((event) => sink.record(event)));
  const second = createEventSink({ log, node: 'n1', boot: 'b1', category: 'requests' });
  expect(await Promise.all(someEvents(2).map((event) => second.record(event)))).toEqual([4, 5]);
  expect(written).toHaveLength(5);
});

test('rejects at once when the queue is full', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { sink } = aSink(() => gate.promise, { maxPending: 3 });
  const waiting = Promise.all(someEvents(3).map((event) => sink.record(event)));
  await expect(sink.record(anEvent())).rejects.toEqual(unavailable);
  gate.resolve('written');
  await waiting;
  await sink.record(anEvent());
});

test('rejects after the timeout and still writes the event', async () => {
  const gate = Promise.withResolvers<'written'>();
  let time = 0;
  const { sink, written } = aSink(() => gate.promise, { timeoutMs: 8, now: () => time });
  const results = Promise.allSettled(someEvents(3).map((event) => sink.record(event)));
  time = 8;
  expect(await results).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: unavailable })));
  expect(sink.pending).toBe(3);
  gate.resolve('written');
  await sink.flush();
  expect(written).toHaveLength(3);
});

test('calls onGivenUp only once it is certain that the event will never be written', async () => {
  const gate = Promise.withResolvers<AppendOutcome>();
  let time = 0;
  const { sink } = aSink(() => gate.promise, { timeoutMs: 8, now: () => time });
  const givenUp = vi.fn();
  const results = Promise.allSettled(someEvents(2).map((event) => sink.record(event, givenUp)));
  time = 8;
  await results;
  expect(givenUp).not.toHaveBeenCalled();
  gate.resolve({ kind: 'rejected', reason: 'disk is full' });
  await sink.flush();
  expect(givenUp).toHaveBeenCalledTimes(2);
});

test('calls onGivenUp at once when the queue is full', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { sink } = aSink(() => gate.promise, { maxPending: 1 });
  const waiting = sink.record(anEvent());
  const givenUp = vi.fn();
  await expect(sink.record(anEvent(), givenUp)).rejects.toEqual(unavailable);
  expect(givenUp).toHaveBeenCalledOnce();
  gate.resolve('written');
  await waiting;
});

test('waits in flush for all pending events, and returns at once when there are none', async () => {
  const { sink, written } = aSink(() => 'written');
  await sink.flush();
  const recorded = someEvents(30).map((event) => sink.record(event));
  await sink.flush();
  expect(written).toHaveLength(30);
  expect(sink.pending).toBe(0);
  await Promise.all(recorded);
});

test('lets one piece of work begin per second after a rejection, until an event is written', async () => {
  let isFull = true;
  let time = 0;
  const { sink } = aSink(() => (isFull ? { kind: 'rejected', reason: 'disk is full' } : 'written'), {
    now: () => time,
  });
  expect(sink.mayBegin()).toBe(true);
  await expect(sink.record(anEvent())).rejects.toEqual(unavailable);
  expect(sink.mayBegin()).toBe(false);
  time = 1_000;
  expect([sink.mayBegin(), sink.mayBegin(), sink.mayBegin()]).toEqual([true, false, false]);
  time = 2_000;
  expect([sink.mayBegin(), sink.mayBegin()]).toEqual([true, false]);
  isFull = false;
  await sink.record(anEvent());
  expect([sink.mayBegin(), sink.mayBegin()]).toEqual([true, true]);
});

test('lets no work begin while an event has been pending for two seconds, long before it is rejected', async () => {
  const gate = Promise.withResolvers<'written'>();
  let time = 0;
  const { sink } = aSink(() => gate.promise, { now: () => time });
  const recorded = sink.record(anEvent());
  expect(sink.mayBegin()).toBe(true);
  time = 2_000;
  await vi.waitFor(() => expect(sink.mayBegin()).toBe(false));
  gate.resolve('written');
  await recorded;
  expect(sink.mayBegin()).toBe(true);
});

test('lets no work begin from the first failed append until one succeeds', async () => {
  let isBroken = true;
  const { sink, received } = aSink(() =>
    isBroken ? { kind: 'unknown', error: new Error('disk I/O error') } : 'written',
  );
  const recorded = sink.record(anEvent());
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(1));
  expect(sink.mayBegin()).toBe(false);
  isBroken = false;
  await recorded;
  expect(sink.mayBegin()).toBe(true);
});

test('a closed sink writes what it had accepted and rejects every later event', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { sink, written } = aSink(() => gate.promise);
  const events = someEvents(3);
  const recorded = Promise.all(events.map((event) => sink.record(event)));
  const closed = sink.close();
  const onGivenUp = vi.fn();
  await expect(sink.record(anEvent(), onGivenUp)).rejects.toEqual(unavailable);
  expect(onGivenUp).toHaveBeenCalledOnce();
  gate.resolve('written');
  await closed;
  expect([await recorded, written]).toEqual([[1, 2, 3], events]);
});
