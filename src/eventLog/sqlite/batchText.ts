import type { PreparedAppend, PreparedEvent } from '../prepareAppend.ts';

/** The part of an append that the writer needs; the data as objects stays in the main thread. */
export type WrittenAppend = Omit<PreparedAppend, 'data'>;

/** A batch as sent to the writer thread. All events are one text, because structured cloning of objects is slow. */
export interface BatchText {
  /** Three values per append: stream, expected revision and number of events. */
  readonly heads: readonly (string | number)[];
  /** Six lines per event. None of the fields contains a line break, since the JSON is on one line. */
  readonly lines: string;
}

const LINES_PER_EVENT = 6;
const FIELDS_PER_HEAD = 3;

/** Serializes a batch for the writer thread. */
export function packBatch(appends: readonly WrittenAppend[]): BatchText {
  const heads: (string | number)[] = [];
  let lines = '';
  for (const { stream, expected, events } of appends) {
    heads.push(stream, expected, events.length);
    for (const { id, type, version, time, data, metadata } of events) {
      lines += `${id}\n${type}\n${version}\n${time}\n${data}\n${metadata}\n`;
    }
  }
  return { heads, lines };
}

/** Restores a batch from `packBatch`. */
export function unpackBatch({ heads, lines }: BatchText): WrittenAppend[] {
  const all = lines.split('\n');
  const appends: WrittenAppend[] = [];
  let line = 0;
  for (let head = 0; head < heads.length; head += FIELDS_PER_HEAD) {
    const [stream, expected, count] = heads.slice(head, head + FIELDS_PER_HEAD) as [string, number, number];
    const events: PreparedEvent[] = [];
    for (let event = 0; event < count; event += 1, line += LINES_PER_EVENT) {
      const [id, type, version, time, data, metadata] = all.slice(line, line + LINES_PER_EVENT) as EventLines;
      events.push({ id, type, version: Number(version), time: Number(time), data, metadata });
    }
    appends.push({ stream, expected, events });
  }
  return appends;
}

type EventLines = [string, string, string, string, string, string];
