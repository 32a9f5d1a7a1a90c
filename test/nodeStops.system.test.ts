import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStage } from './durability/support/stage.ts';
import { startFakeEventStore } from './support/eventstore/fakeEventStore.ts';
import { type Gateway, startGateway, validRequest } from './support/gateway.ts';
import { streamSilent } from './support/provider/scripts.ts';

interface LoggedEvent {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly data: { readonly boot: string; readonly reason: string; readonly previous: object | null };
}

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  cleanups.length = 0;
});
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

// A busy machine, and reading the log blocks the service in this process.
vi.setConfig({ testTimeout: 60_000 });
const WAIT = { timeout: 20_000, interval: 200 };

const TYPES_UNDER_LOAD = ['RequestCompleted', 'RequestRefused', 'SessionBegun', 'SignInFailed'] as const;
const PASSWORD = 'correct horse battery';

async function aGateway(store: string): Promise<Gateway> {
  const env: Record<string, string> = { SVC_DRAIN_SECONDS: '0' };
  if (store === 'EventStoreDB') {
    const server = await startFakeEventStore();
    cleanups.push(() => server.kill());
    Object.assign(env, { SVC_EVENTSTORE_URL: server.url, SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  }
  const gateway = await startGateway({ accounts: 2, env });
  cleanups.push(() => gateway.stop());
  return gateway;
}

const logOf = ({ folder }: Gateway, store: string): LoggedEvent[] =>
  readLog(join(folder, store === 'embedded' ? 'log.sqlite' : 'mirror.sqlite'));

function readLog(path: string): LoggedEvent[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare('SELECT position, stream, type, data FROM events ORDER BY position')
    .all()
    .map((row) => ({ ...row, data: JSON.parse(String(row.data)) }) as unknown as LoggedEvent);
}

/** Sends everything that leads to events of a node, again and again until the service is gone. */
function startLoad({ url, ask, api }: Gateway): { readonly ended: Promise<unknown> } {
  const { hostname, port } = new URL(url);
  const work: (() => Promise<unknown>)[] = [
    () => ask(),
    // Refused and, beyond 60 a minute, counted.
    () => ask({ model: validRequest.model, input: 7 }),
    // Sign-ins that succeed and that fail; each takes a scrypt.
    () => api('POST', '/api/dashboard-auth/password/login', { password: PASSWORD }),
    () => api('POST', '/api/dashboard-auth/password/login', { password: 'wrong' }),
    () => ask(validRequest, { signal: AbortSignal.timeout(3) }).catch(unlessTimedOut),
  ];
  const untilGone = async (send: () => Promise<unknown>) => {
    // The pause leaves the service, which runs in this process, time for its own work.
    while (await send().then(isAnswered, () => false)) await delay(10);
  };
  // A body that never arrives in full.
  const half = connect(Number(port), hostname, () => {
    half.write(`POST /backend-api/svc/responses HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`);
    half.write(`content-length: 1000\r\n\r\n{"model":`);
  });
  half.on('error', () => undefined);
  cleanups.push(() => half.destroy());
  return { ended: Promise.all(work.map(untilGone)) };
}

const unlessTimedOut = (error: Error) => (error.name === 'TimeoutError' ? undefined : Promise.reject(error));

const isAnswered = async (response: unknown): Promise<boolean> => {
  if (response instanceof Response) await response.text();
  return true;
};

test.each(['embedded', 'EventStoreDB'])('nothing follows the stop of a node in its streams (%s)', async (store) => {
  const gateway = await aGateway(store);
  await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
  await vi.waitUntil(() => gateway.events('NodeStarted').length === 1, WAIT);
  const { ended } = startLoad(gateway);
  gateway.pool[1]?.at.always(streamSilent());
  await vi.waitUntil(() => TYPES_UNDER_LOAD.every((type) => gateway.events(type).length > 0), WAIT);
  await gateway.stopService();
  await ended;

  const events = logOf(gateway, store);
  const [started] = events.filter(({ type }) => type === 'NodeStarted');
  const stopped = events.filter(({ type }) => type === 'NodeStopped');
  expect(stopped).toMatchObject([{ data: { boot: started?.data.boot, reason: 'command' } }]);
  const ofStart = events.filter(({ stream }) => stream.includes(`.${started?.data.boot}_`));
  expect(new Set(ofStart.map(({ stream }) => stream.slice(0, stream.indexOf('-'))))).toEqual(
    new Set(['requests', 'sessions', 'nodes']),
  );
  expect(ofStart.at(-1)?.type).toBe('NodeStopped');
  expect(started?.data.previous).toBeNull();
  expect(gateway.output.filter((line) => line.includes('could not be recorded'))).toEqual([]);
});

test.each(['embedded', 'EventStoreDB'])('a start knows when the start before it was stopped (%s)', async (store) => {
  const gateway = await aGateway(store);
  await gateway.restart();
  await vi.waitUntil(() => gateway.events('NodeStarted').length === 2, WAIT);
  const [first, second] = gateway.events('NodeStarted');
  expect(second?.data.previous).toEqual({ boot: first?.data.boot, stoppedAt: expect.any(Number) });
  const { body } = await gateway.api('GET', `/api/history?subject=node-${first?.data.node}`);
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['NodeStarted', 'NodeStopped', 'NodeStarted']);
  const { body: details } = await gateway.api('GET', `/api/history/${second?.position}`);
  expect(details.before).toMatchObject({ boot: first?.data.boot, stopped: { reason: 'command' } });
  expect(details.after).toMatchObject({ boot: second?.data.boot, stopped: null });
});

test('a start after kill -9 says that the start before it was not stopped, and a signal is recorded by name', async () => {
  const stage = await openStage();
  const nodeEvents = () =>
    readLog(join(stage.folder, 'log.sqlite')).filter(({ type }) => type === 'NodeStarted' || type === 'NodeStopped');
  const hasStarted = (count: number) =>
    vi.waitUntil(() => nodeEvents().filter(({ type }) => type === 'NodeStarted').length === count, WAIT);
  await hasStarted(1);
  await stage.service.kill();
  await stage.start();
  await hasStarted(2);
  expect(await stage.stop()).toMatchObject({ exitCode: 0, stderr: [] });
  const [first, second, stopped, ...others] = nodeEvents();
  expect(second?.data.previous).toEqual({ boot: first?.data.boot, stoppedAt: null });
  expect(stopped?.data).toMatchObject({ boot: second?.data.boot, reason: 'signal', detail: 'SIGTERM' });
  expect(others).toEqual([]);
  const last = readLog(join(stage.folder, 'log.sqlite')).at(-1);
  expect(last?.type).toBe('NodeStopped');
});
