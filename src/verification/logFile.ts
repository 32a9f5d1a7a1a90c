import { openForReading } from '../eventLog/sqlite/database.ts';
import type { Finding } from './finding.ts';

/** What a log's file has beside its rows. */
export interface LogFile {
  /** A file without the table of events has no events, whatever else it has. */
  readonly hasEvents: boolean;
  /** What svc never puts into the file, and what changes events or hides them: triggers and views. */
  readonly findings: readonly Finding[];
}

/** Reads the schema of a log or a mirror. @param name how findings name the file */
export function readLogFile(location: string, name: string): LogFile {
  const database = openForReading(location);
  try {
    const schema = database.prepare('SELECT type, name FROM sqlite_schema ORDER BY rowid').all() as unknown as {
      readonly type: string;
      readonly name: string;
    }[];
    const foreign = schema.filter(({ type }) => type === 'trigger' || type === 'view');
    return {
      hasEvents: schema.some((object) => object.name === 'events'),
      findings: foreign.map((object) => ({
        kind: 'inserted',
        position: null,
        stream: name,
        expected: 'no trigger and no view',
        found: `the ${object.type} ${object.name}`,
      })),
    };
  } finally {
    database.close();
  }
}

/** JavaScript cannot hold a whole number beyond it, so svc has never written one. */
const LARGEST = Number.MAX_SAFE_INTEGER;
const NUMBERS = ['position', 'revision', 'version', 'time'] as const;

/** The first event with a number that is too large to be read; undefined when there is none. */
export function findLargeNumber(location: string): Finding | undefined {
  const database = openForReading(location);
  try {
    const isLarge = NUMBERS.map((name) => `${name} NOT BETWEEN -${LARGEST} AND ${LARGEST}`).join(' OR ');
    const texts = NUMBERS.map((name) => `CAST(${name} AS TEXT) AS ${name}`).join(', ');
    const row = database.prepare(`SELECT stream, ${texts} FROM events WHERE ${isLarge} LIMIT 1`).get();
    if (!row) return undefined;
    const { stream, position, ...numbers } = row as Record<'stream' | (typeof NUMBERS)[number], string>;
    const isKnown = Number.isSafeInteger(Number(position));
    return {
      kind: 'edited',
      position: isKnown ? Number(position) : null,
      stream,
      expected: `numbers up to ${LARGEST}`,
      found: `position ${position}, ${Object.entries(numbers)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    };
  } finally {
    database.close();
  }
}
