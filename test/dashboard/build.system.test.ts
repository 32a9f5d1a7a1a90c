import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeBuildLock } from '../../dashboard/scripts/buildLock.ts';
import { environmentFor, serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { aCheckout, type Checkout, setFolderModes } from '../support/checkout.ts';

// The dashboard of a checkout is built while the service runs (docs/decisions/0068-build-of-the-dashboard.md).

/** A build takes two seconds, and many times that on a busy machine. */
const SLOW = { timeout: 120_000 };
const wait = { timeout: 60_000, interval: 50 };

const NODE = process.execPath;
const BUILDING = 'Building the dashboard';

async function dataFolder(): Promise<string> {
  const folder = await tempDir('build');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

async function start(
  { start: program }: Checkout,
  { folder, command = [NODE] }: { folder?: string; command?: string[] } = {},
) {
  const data = folder ?? (await dataFolder());
  const service = serve({ folder: data, command: [...command, program, 'serve'], timeoutMs: SLOW.timeout });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();
  const get = async (path: string, accept = 'text/html') => {
    const response = await fetch(url + path, { headers: { accept } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    ...service,
    data,
    get,
    isServed: () => vi.waitUntil(async () => (await get('/')).status === 200, wait),
    problems: async () => JSON.parse((await get('/api/status', '*/*')).text).problems as Record<string, string>[],
    /** Stops the service. @returns its lines */
    lines: async () => (await service.stop()).stdout,
  };
}

/** Waits for the lock that a build takes, and holds it. */
async function holdLock({ dashboard }: Checkout) {
  const path = dashboard('.build/lock.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  const lock = await takeBuildLock(path, wait.timeout);
  expect(lock.isHeld).toBe(true);
  return lock;
}

function build(checkout: Checkout) {
  const child = spawn(NODE, [checkout.dashboard('scripts/build.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, output }));
  return { child, ended, begun: () => vi.waitUntil(() => output.includes(BUILDING), wait) };
}

const linesWith = (lines: readonly string[], text: string) => lines.filter((line) => line.includes(text));

test('two starts at once listen before the dashboard is built, and build it once', SLOW, async () => {
  const checkout = aCheckout({ isBundled: true });
  const lock = await holdLock(checkout);
  const services = await Promise.all([start(checkout), start(checkout)]);
  for (const { get } of services) {
    const { status, headers, text } = await get('/');
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
      503,
      '5',
      'text/html; charset=utf-8',
    ]);
    expect(text).toContain('<p>The dashboard is being built');
    expect(text).toContain('http-equiv="refresh"');
    expect(await get('/health', '*/*')).toMatchObject({ status: 200 });
    expect(await get('/api/accounts', '*/*')).toMatchObject({ status: 200, text: '{"accounts":[]}' });
    expect(await get('/accounts', 'application/json')).toMatchObject({ status: 404 });
  }
  lock.release();
  for (const { get, isServed, problems } of services) {
    await isServed();
    expect(await get('/', '*/*')).toMatchObject({ status: 200, text: expect.stringContaining('<title>svc</title>') });
    expect(await problems()).toEqual([]);
  }
  const lines = (await Promise.all(services.map((service) => service.lines()))).flat();
  expect(linesWith(lines, BUILDING)).toHaveLength(1);
  expect(linesWith(lines, 'The dashboard is built')).toHaveLength(2);
});

test('a start does not wait for what a killed build has left', SLOW, async () => {
  const checkout = aCheckout({ isBundled: true });
  // The lock of earlier versions, with a process id that lives on.
  mkdirSync(checkout.dashboard('.build.lock'));
  writeFileSync(checkout.dashboard('.build.lock/pid'), String(process.pid));
  const killed = build(checkout);
  await killed.begun();
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(readdirSync(checkout.dashboard('.build')).filter((name) => name.startsWith('new-'))).toHaveLength(1);
  const service = await start(checkout);
  await service.isServed();
  expect(readdirSync(checkout.dashboard('.build')).filter((name) => name.startsWith('new-'))).toEqual([]);
  expect(existsSync(checkout.dashboard('.build.lock'))).toBe(false);
});

test.each(['SIGKILL', 'SIGTERM'] as const)('a build ends with a service that is ended by %s', SLOW, async (signal) => {
  const checkout = aCheckout({ isBundled: true });
  const folder = await dataFolder();
  const service = spawn(NODE, [checkout.start, 'serve'], {
    env: { PATH: process.env.PATH, ...environmentFor({ folder }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  let output = '';
  service.stdout.on('data', (text) => (output += text));
  await vi.waitUntil(() => output.includes(BUILDING), wait);
  service.kill(signal);
  const [exitCode] = await once(service, 'exit');
  expect(exitCode).toBe(signal === 'SIGTERM' ? 0 : null);
  (await holdLock(checkout)).release();
  expect(existsSync(checkout.dashboard('build'))).toBe(false);
});

test(
  'a build that fails is one line with the remedy, a problem and a page, until another one succeeds',
  SLOW,
  async () => {
    const checkout = aCheckout({ isBundled: true });
    checkout.writePage('<script>let = ;</script>');
    const service = await start(checkout);
    await vi.waitUntil(async () => (await service.problems()).length > 0, wait);
    expect(await service.problems()).toMatchObject([
      {
        code: 'dashboard_not_built',
        cause: expect.stringMatching(/could not be built: .*\+page\.svelte/),
        remedy: expect.stringContaining('npm run build'),
      },
    ]);
    const page = await service.get('/', '*/*');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, null]);
    expect(page.text).toContain('run &quot;npm run build&quot;');
    expect(await service.get('/api/accounts')).toMatchObject({ status: 200 });

    checkout.writePage('<h1>mended</h1>');
    expect(await build(checkout).ended).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Built the dashboard'),
    });
    await service.isServed();
    expect(await service.problems()).toEqual([]);
    expect(linesWith(await service.lines(), 'could not be built')).toHaveLength(1);
  },
);

test('without the packages that build it, the line and the page say what to run', SLOW, async () => {
  const service = await start(aCheckout({ missing: ['vite', 'uplot'], isBundled: true }));
  expect(await service.problems()).toMatchObject([
    {
      code: 'dashboard_not_built',
      cause: expect.stringContaining('uplot, vite'),
      remedy: expect.stringContaining('"npm ci" and "npm run build"'),
    },
  ]);
  expect(await service.get('/')).toMatchObject({ status: 503, text: expect.stringContaining('npm run build') });
});

test('a checkout that this user cannot write to is built in the data folder, once', SLOW, async () => {
  const checkout = aCheckout({ isBundled: true });
  setFolderModes(checkout.path, 0o555);
  // Permissions bind root only without its capabilities.
  const command = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', NODE] : [NODE];
  const service = await start(checkout, { command });
  await service.isServed();
  expect(existsSync(join(service.data, 'dashboard/build/index.html'))).toBe(true);
  expect(existsSync(checkout.dashboard('.build'))).toBe(false);
  expect(linesWith(await service.lines(), BUILDING)).toHaveLength(1);
  const again = await start(checkout, { command, folder: service.data });
  expect(await again.get('/')).toMatchObject({ status: 200 });
});

test('a dashboard whose sources have changed is built again, and not served before', SLOW, async () => {
  const checkout = aCheckout({ isBundled: true });
  await build(checkout).ended;
  const first = await start(checkout);
  const before = await first.get('/');
  expect(before.status).toBe(200);
  await first.lines();
  checkout.writePage('<h1>changed</h1>');
  const lock = await holdLock(checkout);
  const second = await start(checkout);
  expect(await second.get('/')).toMatchObject({ status: 503 });
  lock.release();
  await second.isServed();
  expect((await second.get('/')).text).not.toBe(before.text);
});

test('"npm run demo" in a fresh clone has a dashboard', SLOW, async () => {
  const checkout = aCheckout();
  const folder = await dataFolder();
  const demo = spawn(NODE, [join(checkout.path, 'test/support/demo.ts')], {
    env: { PATH: process.env.PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void demo.kill('SIGKILL'));
  let output = '';
  demo.stdout.on('data', (text) => (output += text));
  const url = await vi.waitUntil(() => /svc listens on (\S+)/.exec(output)?.[1], wait);
  await vi.waitUntil(async () => (await fetch(url)).status === 200, wait);
  demo.kill('SIGTERM');
  expect((await once(demo, 'exit'))[0]).toBe(0);
});
