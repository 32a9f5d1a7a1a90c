import { pino } from 'pino';

/** Writes text to a file descriptor. */
export interface OutputDescriptor {
  write(text: string): void;
  /** Waits up to a second until everything is written; called at the end of the process. */
  finish(): void;
}

/** What a full pipe or disk does not take is kept up to this size. */
const MAX_KEPT_BYTES = 1_048_576;
const RETRY_MS = 100;
const FINISH_MS = 1_000;

/**
 * Opens a descriptor for synchronous writes, so that no line is lost when the process ends. What a full pipe or disk does not take
 * at once is tried again; an output that nothing reads any more is no error.
 * @param onLost called with the number of lines that were dropped because too much waited
 */
export function openDescriptor(dest: 1 | 2, onLost: (lines: number) => void): OutputDescriptor {
  const stream = pino.destination({ dest, sync: true, maxLength: MAX_KEPT_BYTES, retryEAGAIN: () => false });
  let isStuck = false;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  stream.on('drop', () => {
    lost += 1;
  });
  // Emitted within `write`; it has kept what was not written.
  stream.on('error', () => {
    isStuck = true;
  });

  function write(text: string): void {
    isStuck = false;
    stream.write(text);
    if (isStuck) timer ??= setTimeout(retry, RETRY_MS).unref();
  }

  function retry(): void {
    timer = undefined;
    write('');
    if (isStuck || lost === 0) return;
    const lines = lost;
    lost = 0;
    onLost(lines);
  }

  return {
    write,
    finish() {
      const clock = new Int32Array(new SharedArrayBuffer(4));
      const deadline = performance.now() + FINISH_MS;
      do retry();
      while (isStuck && performance.now() < deadline && Atomics.wait(clock, 0, 0, 10) === 'timed-out');
      clearTimeout(timer);
    },
  };
}
