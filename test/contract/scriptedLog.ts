import { position } from '../../src/domain/core/brands.ts';
import type { AppendOutcome, EventLog, EventToAppend } from '../../src/eventLog/eventLog.ts';

export interface ReceivedAppend {
  readonly stream: string;
  readonly expected: number;
  readonly events: readonly EventToAppend[];
}

/** Decides what happens to an append: it is written, it is written but its outcome is lost, or it ends with an outcome. */
export type AppendScript = (
  append: ReceivedAppend,
) => 'written' | 'written, response lost' | AppendOutcome | Promise<'written' | AppendOutcome>;

export interface ScriptedLog {
  readonly log: EventLog;
  readonly received: readonly ReceivedAppend[];
  readonly written: readonly EventToAppend[];
}

/** An in-memory log with exact revisions and idempotent repeats, in which a test decides how appends end. */
export function scriptedLog(script: AppendScript): ScriptedLog {
  const received: ReceivedAppend[] = [];
  const written: EventToAppend[] = [];
  const streams = new Map<string, EventToAppend[]>();

  function write({ stream, expected, events }: ReceivedAppend): AppendOutcome {
    const existing = streams.get(stream) ?? [];
    const inPlace = existing.slice(expected + 1, expected + 1 + events.length);
    const isRepeat = events.every(({ id }, index) => inPlace[index]?.id === id);
    if (!isRepeat && expected !== existing.length - 1) return { kind: 'conflict', actualRevision: existing.length - 1 };
    if (!isRepeat) {
      streams.set(stream, [...existing, ...events]);
      written.push(...events);
    }
    const last = written.findIndex(({ id }) => id === events.at(-1)?.id);
    return { kind: 'committed', revision: expected + events.length, position: position(last + 1) };
  }

  const unused = (): never => {
    throw new Error('not implemented by the scripted log');
  };
  return {
    received,
    written,
    log: {
      async append(stream, expected, events) {
        const append = { stream, expected, events };
        received.push(append);
        const step = await script(append);
        if (step === 'written') return write(append);
        if (step !== 'written, response lost') return step;
        write(append);
        return { kind: 'unknown', error: new Error('the response was lost') };
      },
      readStream: unused,
      readAll: unused,
      subscribe: unused,
      head: unused,
      close: unused,
    },
  };
}
