import { position } from '../../src/domain/core/brands.ts';
import type { AppendOutcome, EventLog, EventToAppend } from '../../src/eventLog/eventLog.ts';

export interface ReceivedAppend {
  readonly stream: string;
  readonly expected: number;
  readonly events: readonly EventToAppend[];
}

/** What happens to an append: it is written, or not and ends so, or is written and nobody learns of it. */
export type Fate = (
  append: ReceivedAppend,
) => 'written' | 'written, answer lost' | AppendOutcome | Promise<'written' | AppendOutcome>;

export interface ScriptedLog {
  readonly log: EventLog;
  readonly received: readonly ReceivedAppend[];
  readonly written: readonly EventToAppend[];
}

/** A log in memory with exact revisions and idempotent repeats, whose appends end as a test decides. */
export function scriptedLog(fate: Fate): ScriptedLog {
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
    throw new Error('not part of this test');
  };
  return {
    received,
    written,
    log: {
      async append(stream, expected, events) {
        const append = { stream, expected, events };
        received.push(append);
        const end = await fate(append);
        if (end === 'written') return write(append);
        if (end !== 'written, answer lost') return end;
        write(append);
        return { kind: 'unknown', error: new Error('the answer was lost') };
      },
      readStream: unused,
      readAll: unused,
      subscribe: unused,
      head: unused,
      close: unused,
    },
  };
}
