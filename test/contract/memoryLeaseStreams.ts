import type { LeaseEntry, LeaseOutcome, LeaseStreams } from '../../src/eventLog/leaseStreams.ts';

/** What becomes of one call: it goes through, it is written and nobody learns of it, or it never gets there. */
export type Passage = 'through' | 'answer lost' | 'lost';

/** The streams of leases in memory, reached by each node over a way of its own. */
export function memoryLeaseStreams() {
  const streams = new Map<string, LeaseEntry[]>();
  const entriesOf = (name: string) => streams.get(name) ?? [];

  function write(name: string, expected: number, entry: LeaseEntry): LeaseOutcome {
    const entries = entriesOf(name);
    if (entries[expected + 1]?.id === entry.id) return { kind: 'committed' };
    if (entries.length - 1 !== expected) return { kind: 'conflict' };
    streams.set(name, [...entries, entry]);
    return { kind: 'committed' };
  }

  /** @param passage asked for each call, may take its time */
  const reachedBy = (passage: () => Passage | Promise<Passage> = () => 'through'): LeaseStreams => ({
    async last(name) {
      if ((await passage()) !== 'through') throw new Error('the store is away');
      const entries = entriesOf(name);
      const entry = entries.at(-1);
      return entry && { revision: entries.length - 1, entry };
    },
    async append(name, expected, entry) {
      const way = await passage();
      if (way !== 'lost') {
        const outcome = write(name, expected, entry);
        if (way === 'through') return outcome;
      }
      return { kind: 'unknown', error: new Error('the store is away') };
    },
  });

  return { reachedBy, entriesOf };
}
