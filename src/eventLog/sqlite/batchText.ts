import type { PreparedAppend, PreparedEvent } from '../prepareAppend.ts';

/** What the writer needs of an append; the data as objects stays behind. */
export type WrittenAppend = Omit<PreparedAppend, 'data'>;

/** A batch as it crosses to the writer thread: one text for all events, because cloning objects costs more than the rest. */
export interface BatchText {
  /** For each append: its stream, the revision that it expects, and how many events it has. */
  readonly heads: readonly (string | number)[];
  /** Six lines for each event. Neither JSON on one line nor an id, type or number holds a line break. */
  readonly lines: string;
}

const LINES_PER_EVENT = 6;
const FIELDS_PER_HEAD = 3;

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

export function unpackBatch({ heads, lines }: BatchText): WrittenAppend[] {
  const all = lines.split('\n');
  const appends: WrittenAppend[] = [];
  let line = 0;
  for (let head = 0; head < heads.length; head += FIELDS_PER_HEAD) {
    const [stream, expected, count] = heads.slice(head, head + FIELDS_PER_HEAD) as [string, number, number];
    const events: PreparedEvent[] = [];
    for (let event = 0; event < count; event += 1, line += LINES_PER_EVENT) {
      const [id, type, version, time, data, metadata] = all.slice(line, line + LINES_PER_EVENT) as Six;
      events.push({ id, type, version: Number(version), time: Number(time), data, metadata });
    }
    appends.push({ stream, expected, events });
  }
  return appends;
}

type Six = [string, string, string, string, string, string];
