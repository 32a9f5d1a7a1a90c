import { hash } from 'node:crypto';
import { openForReading } from '../../src/eventLog/sqlite/database.ts';
import { EVENT_COLUMNS, type EventTuple } from '../../src/eventLog/sqlite/eventTuple.ts';

/** Rows that are read at once, as the verifier does. */
const ROWS = 256;
/** Of a leaf entry, and of a node: two digests and a byte. */
const LEAF_BYTES = 420;
const NODE_BYTES = 65;
const WARM_UP_ROWS = 20_000;

export interface Floor {
  /** CPU in us an event. */
  readonly read: number;
  readonly hashes: number;
}

/**
 * What Node itself takes for an event whatever the verifier does with it: its row by `node:sqlite`, and the five SHA-256 digests of which a
 * proof consists (chain, data, metadata, leaf and its part of the tree's nodes) by the cheapest call, over texts of these sizes.
 */
export function measureFloor(path: string, upTo: number): Floor {
  const database = openForReading(path);
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position`,
  );
  page.setReturnArrays(true);
  const read = (from: number) => page.all(from, Math.min(from + ROWS, upTo)) as unknown as EventTuple[];
  try {
    const [leaf, node] = ['x'.repeat(LEAF_BYTES), 'x'.repeat(NODE_BYTES)];
    // Kept in a variable that is returned, so that no call is left out as useless.
    let digests = 0;
    const digest = (text: string) => {
      digests += hash('sha256', text, 'hex').length;
    };
    const digestAll = (rows: readonly EventTuple[]) => {
      for (const [, , , , , , , data, metadata] of rows) {
        digest(data + metadata);
        digest(data);
        digest(metadata);
        digest(leaf);
        digest(node);
      }
    };
    for (let from = 0; from < Math.min(upTo, WARM_UP_ROWS); from += ROWS) digestAll(read(from));
    digests = 0;
    const cpu = { read: 0, hashes: 0 };
    for (let from = 0; from < upTo; from += ROWS) {
      const began = process.cpuUsage();
      const rows = read(from);
      const wasRead = process.cpuUsage(began);
      digestAll(rows);
      const both = process.cpuUsage(began);
      cpu.read += wasRead.user + wasRead.system;
      cpu.hashes += both.user + both.system - wasRead.user - wasRead.system;
    }
    const events = digests / (5 * 64);
    return { read: cpu.read / events, hashes: cpu.hashes / events };
  } finally {
    database.close();
  }
}
