import { type Instant, instant } from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import { dailyStream } from '../../src/eventLog/dailyStream.ts';
import { type EventToAppend, NO_STREAM } from '../../src/eventLog/eventLog.ts';
import { prepareAppend } from '../../src/eventLog/prepareAppend.ts';
import { createBatchWriter } from '../../src/eventLog/sqlite/batchWriter.ts';
import { openForWriting } from '../../src/eventLog/sqlite/database.ts';
import { completedRequest, keyEvents } from '../startup/completedRequests.ts';

const DAY_MS = 86_400_000;
const BATCH = 2_000;
const NODE = 'bench';

export interface FillOptions {
  readonly requests: number;
  readonly days: number;
  /** The requests end with the day before this time. */
  readonly now: number;
  /** Only the days from the first one of these up to before the second one are written; default: all. */
  readonly part?: readonly [from: number, to: number];
  readonly print: (line: string) => void;
}

/**
 * Writes requests of some days into a log, spread evenly, by the function with which the thread of the log writes: validation
 * and the threads of a running service are left out, so that millions take minutes.
 */
export function fillDays(path: string, { requests, days, now, print, part = [0, days] }: FillOptions): void {
  const database = openForWriting({ path });
  try {
    const write = createBatchWriter(database);
    const revisions = new Map<string, number>();
    const append = (stream: string, events: readonly EventToAppend[]) => {
      const expected = revisions.get(stream) ?? NO_STREAM;
      const prepared = prepareAppend(stream, expected, events, { node: NODE, isValidated: true, isLossless: true });
      const [outcome] = write([prepared]);
      if (outcome?.kind !== 'committed') throw new Error(`not written: ${JSON.stringify(outcome)}`);
      revisions.set(stream, outcome.revision);
    };
    const [first, last] = part.map((day) => Math.ceil((requests * day) / days)) as [number, number];
    for (const key of first === 0 ? keyEvents() : []) append(`apiKey-${(key.data as { keyId: string }).keyId}`, [key]);
    const streamOf = dailyStream(`requests-${NODE}.b1_`);
    const end = Math.floor(now / DAY_MS) * DAY_MS;
    const begin = end - days * DAY_MS;
    const began = performance.now();
    let printedAt = began;
    let batch: EventToAppend[] = [];
    for (let index = first + 1; index <= last; index += 1) {
      const event = at(completedRequest(index), instant(begin + Math.floor(((index - 1) * days * DAY_MS) / requests)));
      const stream = streamOf(event.time);
      const isOther = batch[0] !== undefined && streamOf(batch[0].time) !== stream;
      if (batch.length === BATCH || isOther) {
        append(streamOf(batch[0]?.time as Instant), batch);
        batch = [];
      }
      batch.push(event);
      if (performance.now() - printedAt < 10_000) continue;
      printedAt = performance.now();
      print(`${index} of ${requests} requests written`);
    }
    if (batch[0]) append(streamOf(batch[0].time), batch);
    const seconds = (performance.now() - began) / 1_000;
    print(
      `${last - first} requests of ${part[1] - part[0]} days written in ${seconds.toFixed(0)} s: ${Math.round((last - first) / seconds)}/s`,
    );
  } finally {
    database.close();
  }
}

/** The same request at another time. */
function at(event: EventToAppend, time: Instant): EventToAppend {
  const data = event.data as CompletedRequest;
  const moved = (moment: Instant): Instant => instant(moment + time - event.time);
  return {
    ...event,
    time,
    data: {
      ...data,
      requestedAt: moved(data.requestedAt),
      admission: data.admission && { ...data.admission, asOf: moved(data.admission.asOf) },
      attempts: data.attempts.map((attempt) => ({
        ...attempt,
        asOf: moved(attempt.asOf),
        startedAt: moved(attempt.startedAt),
        endedAt: moved(attempt.endedAt),
      })),
    } as CompletedRequest,
  } as EventToAppend;
}
