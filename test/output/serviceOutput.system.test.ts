import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPILED } from '../support/compiled.ts';

const program = fileURLToPath(new URL('outputExample.support.ts', import.meta.url));
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

async function run(what: string, format = 'text') {
  const child = spawn(process.execPath, [program, what, format], {
    env: { NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode, out: linesOf(out), err: linesOf(err) };
}

/** Each line must be one of the log. */
const linesOf = (written: string): string[] =>
  written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      expect(line).toMatch(TIME);
      return line.replace(TIME, '');
    });

test('writes an uncaught exception in one line after those before it, and ends with 1', async () => {
  const { exitCode, out, err } = await run('throw');
  expect(exitCode).toBe(1);
  expect(out).toEqual(['info  last words']);
  expect(err).toHaveLength(1);
  expect(err[0]).toMatch(/^fatal TypeError: broken\\n2026-01-01T00:00:00\.000Z info {2}forged \| at .*outputExample/);
});

test('writes a rejection that nothing handles, and ends with 1', async () => {
  expect(await run('reject')).toEqual({ exitCode: 1, out: [], err: ['fatal no one waits'] });
});

test("writes Node's warnings as lines, once each", async () => {
  const { out, err } = await run('warn');
  expect([out, err]).toEqual([['warn  DeprecationWarning: beware [code=node_warning subject=DEP0001]'], []]);
});

test('writes what libraries print as lines', async () => {
  const { out, err } = await run('console');
  expect(err).toEqual([]);
  expect(out).toEqual(['warn  from a library \\u001b[2J', 'info  and more', 'info  without an end']);
});

test('writes what worker threads print as lines', async () => {
  const { out, err } = await run('worker');
  expect(err).toEqual([]);
  expect(out).toContainEqual(expect.stringMatching(/^warn {2}\(node:\d+\) Warning: beware$/));
  expect(out).toEqual(expect.arrayContaining(['warn  two', 'warn  lines']));
});

test('writes at the end the line that it holds back', async () => {
  expect(await run('exit')).toEqual({
    exitCode: 3,
    out: ['warn  refused 0 [code=refused]', 'warn  refused 9 [code=refused suppressed=8]'],
    err: [],
  });
});

test('writes why it ends to stderr, a line for each mistake', async () => {
  const { out, err } = await run('fatal');
  expect([out, err]).toEqual([['info  info'], ['fatal SVC_PORT: no', 'fatal SVC_HOST: no']]);
});

test('writes lines of JSON only', async () => {
  for (const what of ['warn', 'console', 'worker']) {
    const child = spawn(process.execPath, [program, what, 'json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(err).toBe('');
    const lines = out.trimEnd().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
  }
});

test('loses no line of many to a slow reader', async () => {
  const { out } = await run('flood');
  expect(out).toHaveLength(8_000);
});

test('goes on while nothing reads its output, and counts the lines that were lost', async () => {
  const child = spawn(process.execPath, [program, 'unread', 'json'], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.pause();
  // Arrives although the pipe is full.
  await once(child.stderr, 'data');
  child.stdin.end();
  const written = await text(child.stdout);
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; code?: string });
  const last = lines.at(-1);
  expect(last?.code).toBe('lines_lost');
  expect(lines.length - 1 + Number.parseInt(last?.msg ?? '', 10)).toBe(20_000);
});

test('goes on when nothing reads its output', async () => {
  const child = spawn(process.execPath, [program, 'closed'], { stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [err, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([err, exitCode]).toEqual(['', 4]);
});

test('goes on when its output is a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [program, 'closed'], { stdio: ['ignore', full, 'pipe'] });
  const [err, [exitCode]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
  closeSync(full);
  expect([err, exitCode]).toEqual(['', 4]);
});
