import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { createReader, type Reader } from '../../eventLog/sqlite/reader.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { openEvents } from '../repeatLate.ts';
import { LAG, type LateDecision } from '../replayer.ts';
import {
  foldBefore,
  MAX_TIME,
  MIN_TIME,
  pagesOf,
  type ReplayLogOptions,
  type ReplayResult,
  repeatLog,
} from '../replayLog.ts';
import { RequestCounter } from '../requestCounter.ts';
import type { WhatIfReport } from './report.ts';
import { requireKnown } from './requireKnown.ts';
import { Simulator, type SimulatorOptions } from './simulator.ts';
import type { WhatIf } from './whatIf.ts';

export interface SimulateLogOptions extends Omit<ReplayLogOptions, 'onProgress'> {
  readonly whatIf: WhatIf;
  /** Called often, with the number of events that are done and of all of them; these double when a second pass begins. */
  readonly onProgress?: (done: number, of: number) => void;
}

export interface Simulated {
  readonly replay: ReplayResult;
  readonly whatIf: WhatIfReport;
}

/**
 * Repeats the decisions about the requests of a period, and plays the period again with what the what-if changes. Reads the log's
 * file only, once, and a second time if a decision was recorded more than `lag` events after it was taken. No provider and no
 * network are involved. The same log and the same what-if give the same result.
 * @throws InvalidWhatIf when it names accounts or keys that the log does not know; as `replayLog` does
 */
export async function simulateLog(options: SimulateLogOptions): Promise<Simulated> {
  const { location, whatIf, since = MIN_TIME, onProgress } = options;
  requireKnown(location, whatIf);
  const reader = createReader(location);
  try {
    let simulator: Simulator | undefined;
    const { result, head, late } = await repeatLog(
      { ...options, onProgress: (reached, of) => onProgress?.(reached, of) },
      {
        onBegin: (recorded) => {
          simulator = newSimulator(options, recorded, reader);
        },
        onEvent: (event) => simulator?.add(event),
      },
    );
    if (late.length > 0) {
      simulator = undefined;
      simulator = await simulateAgain(options, await foldBefore(options, since, head), head, late, reader);
    }
    return { replay: result, whatIf: (simulator as Simulator).end().report(result.countedOnly) };
  } finally {
    reader.close();
  }
}

/** Plays the period again with the decisions that the first pass met too late. */
async function simulateAgain(
  options: SimulateLogOptions,
  recorded: HotState,
  head: Position,
  late: readonly LateDecision[],
  reader: Reader,
): Promise<Simulator> {
  const { location, signal, onProgress } = options;
  const single = openEvents(location);
  try {
    const simulator = newSimulator(options, recorded, reader, {
      late,
      readEvent: single.at,
      coolDowns: single.coolDowns(),
    });
    for (const { events, failure } of pagesOf(reader, recorded.position, head)) {
      signal?.throwIfAborted();
      for (const event of events) simulator.add(event);
      if (failure) throw failure;
      onProgress?.(head + (events.at(-1)?.position ?? head), 2 * head);
      await nextTurn();
    }
    simulator.end();
    return simulator;
  } finally {
    single.close();
  }
}

function newSimulator(
  { since = MIN_TIME, until = MAX_TIME, lag = LAG, whatIf }: SimulateLogOptions,
  recorded: HotState,
  reader: Reader,
  late: Pick<SimulatorOptions, 'late' | 'readEvent' | 'coolDowns'> = {},
): Simulator {
  const counter = new RequestCounter(since, until);
  const isWanted = (event: RecordedEvent) => counter.count(event);
  const from = since === MIN_TIME ? firstTime(reader, recorded.position) : since;
  return new Simulator({ recorded, whatIf, from, isWanted, lag, ...late });
}

/** The time of the event after a position. */
const firstTime = (reader: Reader, after: Position): Instant =>
  reader.page(after, position(after + 1)).events[0]?.time ?? instant(0);
