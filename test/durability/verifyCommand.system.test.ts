import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { managementApi } from './support/managementApi.ts';
import { sendRequest } from './support/sendRequest.ts';
import { type ServiceExit, type ServiceProcess, serve } from './support/serve.ts';
import { requestBody } from './support/stage.ts';
import { untilMarkReachesEnd } from './support/untilMarkReachesEnd.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const REQUESTS = 12;

let provider: Provider;
let folders: { readonly path: string } & AsyncDisposable;
/** A data folder as `kill -9` left it, after answered requests. */
let killed: string;
/** Where its checkpoints were published. */
let checkpoints: string;

beforeAll(async () => {
  provider = await startProvider();
  folders = await tempDir('verify');
  killed = join(folders.path, 'killed');
  checkpoints = join(folders.path, 'checkpoints');
  mkdirSync(checkpoints);
  const account = provider.addAccount();
  account.always(textResponse());
  const service = start(killed);
  const url = await service.listening();
  await managementApi(url).importAccount(account);
  for (let count = 0; count < REQUESTS; count += 1) {
    const { ending } = await sendRequest({ url, path: '/v1/responses', body: requestBody() });
    expect(ending).toBe('completed');
  }
  expect((await managementApi(url).requestLog()).total).toBe(REQUESTS);
  const receipt = (await (await fetch(`${url}/api/receipts/${REQUESTS}`)).json()) as { readonly checkpoint: string };
  expect(receipt.checkpoint).toMatch(/^svc\//);
  await vi.waitUntil(() => publishedIn(checkpoints).length > 0, { timeout: 20_000 });
  expect(await verify(killed, '--json'), 'beside the service').toMatchObject({ exitCode: 0 });
  await untilMarkReachesEnd(killed, 'log');
  await service.kill();
});

afterAll(async () => {
  await provider.close();
  await folders[Symbol.asyncDispose]();
});

const publishedIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.checkpoint'));

const start = (folder: string, ...command: string[]): ServiceProcess =>
  serve({
    folder,
    provider,
    env: { SVC_CHECKPOINT_DIR: checkpoints },
    ...(command.length > 0 && { command: [process.execPath, 'src/start.mjs', ...command] }),
  });

const run = (folder: string, ...command: string[]): Promise<ServiceExit> => start(folder, ...command).ended;
const verify = (folder: string, ...args: string[]) => run(folder, 'verify', ...args);

let copies = 0;
function copyOf(folder: string): string {
  const path = join(folders.path, `copy-${++copies}`);
  cpSync(folder, path, { recursive: true });
  return path;
}

/** Every file of a folder with its bytes and when it was changed. */
const stateOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return `${name} ${statSync(join(folder, name)).mtimeMs} ${hash}`;
    });

test('finds a folder intact after kill -9, prints one object and changes no byte', async () => {
  const folder = copyOf(killed);
  expect(existsSync(join(folder, 'log.sqlite-wal'))).toBe(true);
  const before = stateOf(folder);
  const { exitCode, stdout, stderr } = await verify(folder, '--json');
  expect({ exitCode, lines: stdout.length }, stderr.join('\n')).toEqual({ exitCode: 0, lines: 1 });
  expect(Object.keys(JSON.parse(stdout[0] as string))).toEqual(['ok', 'events', 'root', 'findings']);
  expect(JSON.parse(stdout[0] as string).root).toMatch(/^[0-9a-f]{64}$/);
  expect(stderr.join('\n')).toContain('Nobody vouched for this key');
  expect(stateOf(folder)).toEqual(before);
  const key = join(folder, 'checkpoint.pub');
  const vouched = await verify(folder, '--checkpoints', checkpoints, '--public-key', key);
  expect(vouched, vouched.stderr.join('\n')).toMatchObject({ exitCode: 0 });
  expect(vouched.stderr.join('\n')).toContain(`signed by ${readFileSync(key, 'utf8').trim()}`);
});

test('finds a cut log, over which a start is refused, and reports the loss as a note once it is accepted', async () => {
  const folder = copyOf(killed);
  const wal = join(folder, 'log.sqlite-wal');
  truncateSync(wal, Math.floor(statSync(wal).size / 2));
  const { exitCode, stdout } = await verify(folder, '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout[0] as string)).toMatchObject({ ok: false, findings: [{ kind: 'truncated', stream: null }] });
  expect((await run(folder, 'accept-loss')).exitCode).toBe(0);
  const accepted = await verify(folder);
  expect(accepted).toMatchObject({ exitCode: 0 });
  expect(accepted.stderr.join('\n')).toMatch(/Accepted at position \d+: .* were accepted as lost/);
});

test('finds that the whole log is gone', async () => {
  const folder = copyOf(killed);
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`));
  expect(await verify(folder)).toMatchObject({ exitCode: 1 });
});

test('verifies an export, and finds what was changed in it', async () => {
  const folder = copyOf(killed);
  const file = join(folders.path, 'history.ndjson');
  expect(await run(folder, 'export', file)).toMatchObject({ exitCode: 0 });
  expect(await verify(folder, file)).toMatchObject({ exitCode: 0 });
  const content = readFileSync(file, 'utf8');
  writeFileSync(file, content.replace('"latencyMs":', '"latencyMs":1'));
  expect((await verify(folder, file)).stdout[0]).toMatch(/^edited at position \d+ in requests-/);
  writeFileSync(file, content.slice(0, -200));
  expect((await verify(folder, file)).stdout).toEqual([expect.stringMatching(/^truncated/), expect.anything()]);
});

test('ends with 2 and an empty standard output when it is used wrongly or cannot run', async () => {
  const empty = join(folders.path, 'empty');
  const wrong = [
    ['--from', '0'],
    ['--from', '5', '--to', '4'],
    ['--what'],
    ['--unsealed', '--from', '1'],
    ['--unsealed', 'missing.ndjson'],
    ['a', 'b'],
    ['missing.ndjson'],
    [],
    ['--public-key', 'svc/1+abc'],
    ['--checkpoints', ''],
    ['--checkpoints', join(empty, 'missing')],
  ];
  for (const args of wrong) {
    expect(await verify(empty, ...args), args.join(' ')).toMatchObject({ exitCode: 2, stdout: [] });
  }
  expect(existsSync(empty)).toBe(false);
});
