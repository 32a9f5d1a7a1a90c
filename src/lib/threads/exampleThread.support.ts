import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { orEndThread, serveThread } from './serveThread.ts';
import { transfer } from './transfer.ts';

export interface ExampleThread {
  options: { readonly fails?: 'at the start' };
  ready: { readonly threadPid: number };
  requests: {
    double(value: number): number;
    /** Asks the owner twice. */
    quarter(value: number): number;
    /** Replies after `ms`. */
    wait(ms: number): string;
    /** Throws an error with a code. */
    fail(message: string): never;
    /** Fills the buffer with sevens and moves it back. */
    fill(buffer: ArrayBuffer): ArrayBuffer;
    crash(): void;
    /** Ends the thread by an error of its handler, thrown or rejected. */
    break(how: 'at once' | 'later'): void;
    exit(): void;
    block(): void;
    /** Makes garbage. Returns the bytes that young objects took. */
    makeGarbage(): number;
  };
  notifications: {
    /** Reports all values received so far, in order. */
    remember(value: number): void;
    crash(): void;
  };
  reports: {
    remembered(values: readonly number[]): void;
    stopping(timeoutMs: number | undefined): void;
  };
  questions: {
    halve(value: number): number;
  };
}

class ExampleError extends Error {
  override readonly name = 'ExampleError';
  readonly code = 'EXAMPLE';
}

const crash = () => {
  throw new Error('crashed');
};

await serveThread<ExampleThread>((options, report, ask) => {
  if (options.fails) throw new ExampleError('no start');
  const values: number[] = [];
  return {
    ready: { threadPid: process.pid },
    requests: {
      double: (value) => 2 * value,
      quarter: async (value) => ask('halve', await ask('halve', value)),
      wait: async (ms) => {
        await delay(ms);
        return 'waited';
      },
      fail: (message) => {
        throw new ExampleError(message);
      },
      fill: (buffer) => {
        new Uint8Array(buffer).fill(7);
        return transfer(buffer, [buffer]);
      },
      crash: () => void setImmediate(crash),
      break: orEndThread((how) => (how === 'at once' ? crash() : Promise.reject(new Error('crashed later')))),
      exit: () => process.exit(1),
      block: () => {
        for (;;);
      },
      makeGarbage() {
        // Young space grows with the objects that survive in it.
        const recent: unknown[] = [];
        for (let count = 0; count < 3_000_000; count += 1) recent[count % 50_000] = { count, text: `${count}` };
        const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
        return recent.length > 0 ? (space?.physical_space_size ?? 0) : 0;
      },
    },
    notifications: {
      remember: (value) => {
        values.push(value);
        report('remembered', values);
      },
      crash,
    },
    stop: (timeoutMs) => report('stopping', timeoutMs),
  };
});
