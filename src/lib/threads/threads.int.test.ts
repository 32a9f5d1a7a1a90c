import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { ThreadEnded } from './errors.ts';
import type { ExampleThread } from './exampleThread.support.ts';
import { startThread, type Thread, type ThreadSettings } from './startThread.ts';
import { transfer } from './transfer.ts';

const waitOptions = { timeout: 10_000, interval: 10 };

const PROGRAM = new URL('./exampleThread.support.ts', import.meta.url);

const started: Thread<ExampleThread>[] = [];
const onEnd = vi.fn();
const onReady = vi.fn();
const answers = {
  halve(value: number) {
    if (value % 2 === 1) throw new Error(`${value} is odd`);
    return value / 2;
  },
};
const reports = { remembered: vi.fn(), stopping: vi.fn() };

function start(settings: Partial<ThreadSettings<ExampleThread>> = {}): Thread<ExampleThread> {
  const thread = startThread<ExampleThread>(PROGRAM, {
    name: 'example',
    options: () => ({}),
    reports,
    answers,
    onReady,
    onEnd,
    ...settings,
  });
  started.push(thread);
  return thread;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((thread) => thread.terminate()));
  vi.clearAllMocks();
});

describe('requests', () => {
  it('resolve with what the handler returns or resolves with', async () => {
    const thread = start();
    const waited = thread.request('wait', 20);
    expect(await thread.request('double', 4)).toBe(8);
    expect(await waited).toBe('waited');
  });

  it('reject with name, message, code and stack of what the handler throws', async () => {
    const error = await start()
      .request('fail', 'too much')
      .catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ExampleError', message: 'too much', code: 'EXAMPLE' });
    expect((error as Error).stack).toContain('exampleThread.support.ts');
  });

  it('can be made by the thread, and reject there with what the owner throws', async () => {
    const thread = start();
    expect(await thread.request('quarter', 12)).toBe(3);
    await expect(thread.request('quarter', 6)).rejects.toThrow('3 is odd');
  });

  it('reject when there is no handler for them', async () => {
    const request = start().request as (name: string) => Promise<unknown>;
    await expect(request('undeclared')).rejects.toThrow('no handler for the request "undeclared"');
  });

  it('reject when the payload cannot be cloned, and the next one is served', async () => {
    const thread = start();
    await expect(thread.request('double', (() => 0) as never)).rejects.toMatchObject({ name: 'DataCloneError' });
    expect(await thread.request('double', 1)).toBe(2);
  });

  it('move what is to be transferred, in both directions', async () => {
    const buffer = new ArrayBuffer(3);
    const filled = await start().request('fill', transfer(buffer, [buffer]));
    expect(buffer.detached).toBe(true);
    expect(new Uint8Array(filled)).toEqual(new Uint8Array([7, 7, 7]));
  });
});

describe('notifications', () => {
  it('arrive in order, and before the requests that follow them', async () => {
    const thread = start();
    thread.notify('remember', 1);
    thread.notify('remember', 2);
    await thread.request('double', 0);
    expect(reports.remembered.mock.calls).toEqual([[[1]], [[1, 2]]]);
  });

  it('end the thread when their handler throws', async () => {
    const thread = start();
    thread.notify('crash');
    await vi.waitFor(
      () => expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'crashed' })),
      waitOptions,
    );
    expect(thread.isRunning).toBe(false);
  });
});

describe('the start', () => {
  it('reports when the thread accepts messages', async () => {
    expect(await start().ready).toEqual({ threadPid: process.pid });
    expect(onReady).toHaveBeenCalledExactlyOnceWith({ threadPid: process.pid });
  });

  it('rejects with the error of the thread, and so do requests that were already sent', async () => {
    const thread = start({ options: () => ({ fails: 'at the start' }) });
    const request = thread.request('double', 1);
    await Promise.all([
      expect(thread.ready).rejects.toMatchObject({ name: 'ExampleError', message: 'no start', code: 'EXAMPLE' }),
      expect(request).rejects.toThrow(new ThreadEnded('the example thread ended: no start')),
    ]);
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'no start' }));
  });

  it('names its error also when its owner was busy until the thread had ended', async () => {
    const thread = start({ options: () => ({ fails: 'at the start' }) });
    const request = thread.request('double', 1);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await Promise.all([
      expect(thread.ready).rejects.toThrow('no start'),
      expect(request).rejects.toThrow(new ThreadEnded('the example thread ended: no start')),
    ]);
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'no start' }));
  });
});

test('keeps the process running only if it should', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((type) => type === 'MessagePort').length;
  const before = ports();
  await start({ keepsProcessAlive: false }).ready;
  expect(ports()).toBe(before);
  await start().ready;
  expect(ports()).toBe(before + 1);
});

describe('a thread that dies', () => {
  it('rejects every waiting request with the error that ended it', async () => {
    const thread = start();
    const reason = new ThreadEnded('the example thread ended: crashed', { cause: new Error('crashed') });
    const waiting = [thread.request('wait', 10_000), thread.request('crash'), thread.request('wait', 10_000)];
    expect(await Promise.allSettled(waiting)).toEqual([
      { status: 'rejected', reason },
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason },
    ]);
    await expect(thread.request('double', 1)).rejects.toThrow('the example thread is not running');
  });

  it('ends when a handler fails that must not fail', async () => {
    await expect(start().request('break', 'at once')).rejects.toThrow(
      new ThreadEnded('the example thread ended: crashed'),
    );
    await expect(start().request('break', 'later')).rejects.toThrow('the example thread ended: crashed later');
  });

  it('rejects every waiting request when it exits without an error', async () => {
    await expect(start().request('exit')).rejects.toThrow(new ThreadEnded('the example thread ended'));
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(undefined);
  });

  it('is restarted by the next message, with the options of that moment', async () => {
    const options = vi.fn(() => ({}));
    const thread = start({ restart: 'with the next message', options });
    await expect(thread.request('exit')).rejects.toThrow(ThreadEnded);
    expect(await thread.request('double', 5)).toBe(10);
    expect(options).toHaveBeenCalledTimes(2);
    expect(onReady).toHaveBeenCalledTimes(2);
  });

  it('is restarted after a delay', async () => {
    const thread = start({ restart: { afterMs: 20 } });
    await expect(thread.request('exit')).rejects.toThrow(ThreadEnded);
    await expect(thread.request('double', 5)).rejects.toThrow('the example thread is not running');
    await vi.waitFor(() => expect(thread.isRunning).toBe(true), waitOptions);
    expect(await thread.request('double', 5)).toBe(10);
  });
});

describe('a stop', () => {
  it('lets requests in progress finish', async () => {
    const thread = start();
    const waiting = thread.request('wait', 50);
    await Promise.all([thread.stop({ timeoutMs: 10_000 }), thread.stop()]);
    expect(await waiting).toBe('waited');
    expect(reports.stopping).toHaveBeenCalledExactlyOnceWith(10_000);
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(undefined);
  });

  it('terminates a thread that does not end within its time, and rejects its requests', async () => {
    const thread = start();
    await thread.ready;
    const blocked = thread.request('block');
    await Promise.all([
      thread.stop({ timeoutMs: 10, graceMs: 10 }),
      expect(blocked).rejects.toThrow('the example thread ended'),
    ]);
  });

  it('prevents a restart, and resolves at once when no thread is running', async () => {
    const thread = start({ restart: { afterMs: 1 } });
    await thread.stop();
    await thread.stop();
    await delay(20);
    expect(thread.isRunning).toBe(false);
    await expect(thread.request('double', 1)).rejects.toThrow(ThreadEnded);
    thread.notify('remember', 1);
  });
});

test('limits the young objects of a thread although an option of the command line says otherwise', async () => {
  setFlagsFromString('--max-semi-space-size=16');
  const limited = start({ resourceLimits: { maxYoungGenerationSizeMb: 6 } });
  expect(await limited.request('makeGarbage')).toBeLessThan(6 * 2 ** 20);
});
