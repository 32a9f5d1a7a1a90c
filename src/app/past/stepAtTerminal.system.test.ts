import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { aChangedFolder, type aChangedFolder as Changed, filesIn, headOf } from './pastFolder.support.ts';

// `script` (util-linux) gives the command a terminal, as an operator's shell does.
const SCRIPT = '/usr/bin/script';
const canRun = existsSync(SCRIPT);

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
const SOON = { timeout: 60_000, interval: 20 };

let folder: Awaited<ReturnType<typeof Changed>>;
const cleanups: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  folder = await aChangedFolder((cleanup) => void cleanups.unshift(cleanup));
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

interface Terminal {
  /** Types a text, and resolves with what is printed until a pattern matches it. */
  type(text: string, until: RegExp): Promise<string>;
  /** Types a text, and resolves with the exit code of the command. */
  end(text: string): Promise<number | null>;
}

function terminal(...args: string[]): Terminal {
  const command = [process.execPath, 'src/start.mjs', 'step', ...args].map((word) => `'${word}'`).join(' ');
  // After the command, the terminal says whether it echoes again.
  const child: ChildProcessWithoutNullStreams = spawn(
    SCRIPT,
    ['-qec', `${command}; code=$?; stty -a; exit $code`, '/dev/null'],
    {
      env: { ...process.env, SVC_DATA_DIR: folder.folder, TERM: 'xterm', SHELL: '/bin/sh' },
    },
  );
  let output = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const type = async (text: string, until: RegExp) => {
    child.stdin.write(text);
    await vi.waitFor(() => expect(output.slice(read)).toMatch(until), SOON);
    const printed = output.slice(read);
    read = output.length;
    return printed;
  };
  return {
    type,
    async end(text) {
      child.stdin.write(text);
      const code = await ended;
      expect(output.slice(read), output).toMatch(/[^-]icanon[\s\S]*[^-]echo/);
      return code;
    },
  };
}

/** The line of an event; what was printed of the one before may still come. */
const step = (position: number) => new RegExp(`(^|\\n)${position} {2}`);

test.skipIf(!canRun)('steps forward and back by keys, and leaves terminal and folder as they were', async () => {
  const before = filesIn(folder.folder);
  const { type, end } = terminal('--from', '1', '--to', '4');
  expect(await type('', /\n1 {2}.+\r\n {4}/)).toContain('Keys: n or right next');
  expect(await type('p', /first event/)).not.toContain('\u001b');
  await type('n', step(2));
  await type('\u001b[C', step(3));
  await type('\u001bOB', step(4));
  await type(' ', /last event/);
  await type('\u001b[D', step(3));
  await type('k', /(^|\n)2 {2}\S+ {2}ApiKeyCreated/);
  // The name of the key would clear the screen.
  const state = await type('s', /After:[\s\S]*\\u001b\[31mred/);
  expect(state).toContain('Before:');
  expect(state).not.toContain('\u001b');
  await type('\u001b[3~', /Keys:/);
  expect(await end('q')).toBe(0);
  expect(filesIn(folder.folder)).toEqual(before);
});

test.skipIf(!canRun).each([
  ['Ctrl+C', '\u0003'],
  ['Ctrl+D', '\u0004'],
  ['Escape', '\u001b'],
])('ends by %s and restores the terminal', async (_name, key) => {
  const { type, end } = terminal('--from', '1', '--subject', folder.keyId);
  await type('', /ApiKeyCreated[\s\S]*\r\n {4}/);
  await type('n', /ApiKeyRenamed/);
  expect(await end(key)).toBe(0);
});

test.skipIf(!canRun)('names what it was not given, with exit code 2', async () => {
  const { end } = terminal('--from', String(headOf(folder.stage)), '--subject', 'nobody');
  expect(await end('')).toBe(2);
});
