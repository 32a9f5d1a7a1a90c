import type { LeaseEntry, LeaseOutcome, LeaseStreams } from '../../src/eventLog/leaseStreams.ts';

/** What happens to a call: it is delivered, it is executed but its response is lost, or it never arrives. */
export type Delivery = 'delivered' | 'response lost' | 'lost';

/** Creates lease streams in memory, with a separate connection for each node. */
export function memoryLeaseStreams() {
  const streams = new Map<string, LeaseEntry[]>();
  const listeners: ((name: string, entry: LeaseEntry) => void)[] = [];
  const entriesOf = (name: string) => streams.get(name) ?? [];

  function write(name: string, expected: number, entry: LeaseEntry): LeaseOutcome {
    const entries = entriesOf(name);
    if (entries[expected + 1]?.id === entry.id) return { kind: 'committed' };
    if (entries.length - 1 !== expected) return { kind: 'conflict' };
    streams.set(name, [...entries, entry]);
    for (const listener of listeners) listener(name, entry);
    return { kind: 'committed' };
  }

  /** @param deliver decides about each call, and may delay it */
  const connect = (deliver: () => Delivery | Promise<Delivery> = () => 'delivered'): LeaseStreams => ({
    async readLast(name) {
      if ((await deliver()) !== 'delivered') throw new Error('the store is unreachable');
      const entries = entriesOf(name);
      const entry = entries.at(-1);
      return entry && { revision: entries.length - 1, entry };
    },
    async append(name, expected, entry) {
      const delivery = await deliver();
      if (delivery !== 'lost') {
        const outcome = write(name, expected, entry);
        if (delivery === 'delivered') return outcome;
      }
      return { kind: 'unknown', error: new Error('the store is unreachable') };
    },
    followNodes(listener) {
      const follow = async (name: string, entry: LeaseEntry) => {
        if (name.startsWith('node-') && (await deliver()) !== 'lost') listener(entry);
      };
      for (const [name, entries] of streams) void follow(name, entries.at(-1) as LeaseEntry);
      listeners.push((name, entry) => void follow(name, entry));
    },
  });

  return { connect, entriesOf };
}
