import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts the program of `npm run demo`. Resolves when it has printed how to end it. */
async function startDemo() {
  const temporary = await mkdtemp(join(tmpdir(), 'svc-demo-test-'));
  const child = spawn(process.execPath, ['test/support/demo.ts'], {
    cwd: repository,
    env: { PATH: process.env.PATH, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(temporary, { recursive: true, force: true });
  });
  const ended = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ctrl-C')) resolve();
      });
    }
    void ended.then((exitCode) => reject(new Error(`the demo ended with ${exitCode}:\n${output}`)));
  });
  return {
    /** Sends the request of the printed curl command for a path. */
    async curl(path: string): Promise<Response> {
      const line = output.split('\n').find((text) => text.includes('curl') && text.includes(path)) ?? '';
      const url = /https?:\S+/.exec(line)?.[0] ?? `no line for ${path} in:\n${output}`;
      const body = / -d '(.*)'$/.exec(line)?.[1];
      if (body === undefined) return fetch(url);
      return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    },
    /** Sends the signals. @returns the exit code and the temporary files that remain */
    async end(...signals: NodeJS.Signals[]) {
      for (const signal of signals) child.kill(signal);
      return { exitCode: await ended, remaining: await readdir(temporary) };
    },
  };
}

test('the printed commands get responses, the request log shows them, and Ctrl-C leaves no file', {
  timeout: 60_000,
}, async () => {
  const demo = await startDemo();

  const streamed = await demo.curl('/backend-api/svc/responses');
  expect(streamed.headers.get('content-type')).toContain('text/event-stream');
  expect(await streamed.text()).toContain('event: response.completed');

  const json = await demo.curl('/v1/responses');
  expect(await json.json()).toMatchObject({
    status: 'completed',
    output: [{ content: [{ text: expect.stringMatching(/^Hello, this is account-\d@example.com/) }] }],
  });

  const log = await demo.curl('/api/request-logs');
  expect(await log.json()).toMatchObject({ total: 2, requests: [{ status: '200' }, { status: '200' }] });

  // A terminal signals the whole process group, and npm may forward its own signal as well.
  expect(await demo.end('SIGINT', 'SIGINT')).toEqual({ exitCode: 0, remaining: [] });
});

test('SIGTERM ends the demo and leaves no file', async () => {
  const demo = await startDemo();
  expect(await demo.end('SIGTERM')).toEqual({ exitCode: 0, remaining: [] });
});
