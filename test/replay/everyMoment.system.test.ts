import { randomBytes } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { createRandom } from '../support/random.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { randomCommands, type Send, USAGE } from './support/randomCommands.ts';

// Random commands on a running service, with a clock that also jumps. Every GET that has a past, with several filters and for each
// role, is called while it runs, and again with `?at=` afterwards.

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const SEED = Number(process.env.SVC_TEST_MOMENTS_SEED ?? Date.now() % 1_000_000);
/** Commands before the first moment, and between two of them. */
const [BEFORE_FIRST, BETWEEN] = [30, 12];
const HOUR_MS = 3_600_000;
const soon = { timeout: 30_000, interval: 20 };

const READERS = ['auditor', 'member'] as const;
type Role = 'administrator' | (typeof READERS)[number];
type Answer = readonly [status: number, body: unknown];

/** What the API answered at a moment. */
interface Moment {
  readonly position: number;
  readonly time: string;
  readonly answers: ReadonlyMap<string, Answer>;
}

/** `Date.now` of this process, which tests stop and set forward. */
function controlClock() {
  const realNow = Date.now.bind(Date);
  let aheadMs = 0;
  let stopped: number | undefined;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => stopped ?? realNow() + aheadMs);
  onTestFinished(() => spy.mockRestore());
  return {
    ahead: (ms: number) => {
      aheadMs += ms;
    },
    stop: () => {
      stopped = Date.now();
      return stopped;
    },
    /** Goes on, later than it was stopped. */
    async goOn() {
      const at = stopped ?? 0;
      stopped = undefined;
      await vi.waitUntil(() => Date.now() > at, { interval: 1 });
    },
  };
}

const FILTERS: Readonly<Record<string, readonly string[]>> = {
  '/api/request-logs': [
    '',
    'limit=3&offset=2',
    'status=error',
    'model=gpt-5.1',
    'search=req_',
    'since=2026-01-01T00:00:00Z&limit=200',
  ],
  '/api/request-logs/options': ['', 'status=error'],
  '/api/history': ['', 'limit=4', 'type=ApiKeyCreated', 'search=renamed', 'type=RequestCompleted&limit=3'],
  '/api/dashboard/trends': ['', 'hours=168&step_minutes=60'],
  '/api/usage/breakdown': ['', 'group_by=model&interval=hour', 'group_by=account&status=error&time_zone=Asia/Kolkata'],
  '/api/usage/history': ['', 'hours=48'],
  '/api/usage/window': ['', 'window=secondary'],
};

type World = ReturnType<typeof randomCommands>['world'];

/** Every GET with a past by the OpenAPI document, for what exists. */
async function pathsOf(gateway: Gateway, send: Send, world: World): Promise<string[]> {
  const { body } = await send('GET', '/api/openapi.json');
  const documented = body.paths as Record<string, { get?: { parameters?: { name: string }[] } }>;
  const [account] = gateway.pool;
  const last = <Value>(values: readonly Value[]) => values.slice(-2);
  const ids: Readonly<Record<string, readonly string[]>> = {
    '/api/accounts/{id}/trends': [account?.id ?? 'none'],
    '/api/blame/{subject}': ['settings-main', 'firewall-main', ...last(world.keys).map(({ id }) => `apiKey-${id}`)],
    '/api/history/{position}': ['1', '9', '24'],
    '/api/operators/{id}': last(world.operators),
    '/api/owners/{owner}': last(world.owners).map(encodeURIComponent),
    '/api/owners/{owner}/requests': last(world.owners).map(encodeURIComponent),
    '/api/requests/{id}/explain': last(world.requests),
    '/api/teams/{id}': last(world.teams),
    '/api/teams/{id}/members': last(world.teams),
    '/api/tokens/{id}': last(world.tokens),
  };
  return Object.entries(documented).flatMap(([path, { get }]) => {
    if (!get?.parameters?.some(({ name }) => name === 'at')) return [];
    const named = path.includes('{')
      ? (ids[path] ?? expect.fail(`give this test ids for ${path}`)).map((id) => path.replace(/\{\w+\}/, id))
      : [path];
    return named.flatMap((each) => (FILTERS[path] ?? ['']).map((filter) => (filter ? `${each}?${filter}` : each)));
  });
}

const withAt = (path: string, at: string | number): string => `${path}${path.includes('?') ? '&' : '?'}at=${at}`;

/** What was forgotten is shown at no moment, but named: what is sealed of accounts that were deleted meanwhile. */
const FORGOTTEN = new Set(['email', 'display_name', 'id_token', 'forgotten']);
function withoutForgotten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutForgotten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (FORGOTTEN.has(name) ? [] : [[name, withoutForgotten(item)]])),
  );
}

interface Game {
  readonly moments: number;
  /** By how much the clock jumps at most. Nodes that share a log hold the windows of limits after more than a minute. */
  readonly jumpMs: number;
}

async function play(gateway: Gateway, { moments: wanted, jumpMs }: Game) {
  const random = createRandom(SEED);
  const clock = controlClock();
  const tokens = new Map<Role, string>();
  for (const role of ['administrator', ...READERS] as const) {
    const { body } = await gateway.api('POST', '/api/tokens', { name: role, role });
    tokens.set(role, body.token);
  }
  /** Calls a node as a role. */
  const sendAs =
    (role: Role, at: Gateway = gateway): Send =>
    async (method, path, body) => {
      const authorization = `Bearer ${tokens.get(role)}`;
      const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(at.url + path, sent);
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    };
  const administrator = sendAs('administrator');
  const commands = randomCommands(gateway, administrator, random.branch(1));
  await gateway.set({ api_key_auth_enabled: true });
  for (const { at } of gateway.pool) at.always(textResponse({ usage: USAGE }));
  const head = async (): Promise<number> => (await administrator('GET', '/api/status')).body.events.position;

  async function answersOf(paths: readonly string[], at?: string | number, node?: Gateway) {
    const answers = new Map<string, Answer>();
    for (const role of READERS) {
      for (const path of paths) {
        const asked = at === undefined ? path : withAt(path, at);
        const { status, body } = await sendAs(role, node)('GET', asked);
        answers.set(`${role} ${path}`, [status, withoutForgotten(body)]);
      }
    }
    return answers;
  }

  /** Stops the clock for a moment in which nothing else is recorded, so that all answers are of the same one. */
  async function takeMoment(): Promise<Moment> {
    const paths = await pathsOf(gateway, administrator, commands.world);
    for (let attempt = 1; ; attempt += 1) {
      const time = new Date(clock.stop()).toISOString();
      // The clock of a position is that of its event.
      await administrator('POST', '/api/teams', { name: `moment ${attempt}` });
      const position = await head();
      const answers = await answersOf(paths);
      const isQuiet = (await head()) === position;
      await clock.goOn();
      if (isQuiet) return { position, time, answers };
      expect(attempt, 'events go on while nothing happens').toBeLessThan(20);
    }
  }

  const moments: Moment[] = [];
  const done = new Map<string, number>();
  while (moments.length < wanted) {
    for (let index = moments.length === 0 ? BEFORE_FIRST : BETWEEN; index > 0; index -= 1) {
      const name = await commands.next();
      done.set(name, (done.get(name) ?? 0) + 1);
      if (random.chance(0.05)) clock.ahead(random.between(1, jumpMs));
    }
    moments.push(await takeMoment());
  }
  process.stdout.write(`  seed ${SEED}: ${JSON.stringify(Object.fromEntries(done))}\n`);
  const counts = Map.groupBy(moments.at(-1)?.answers.values() ?? [], ([status]) => status);
  expect(counts.get(200)?.length).toBeGreaterThan(40);
  expect([...counts.keys()].filter((status) => status >= 500)).toEqual([]);

  return {
    /** Asks a node for every moment again. @param by what the moments are named by */
    async expectSame(what: string, by: 'position' | 'time', node: Gateway = gateway): Promise<void> {
      for (const moment of moments.toReversed()) {
        const paths = [...moment.answers.keys()].filter((key) => key.startsWith('auditor ')).map((key) => key.slice(8));
        const again = await answersOf(paths, moment[by], node);
        for (const [key, answer] of moment.answers) {
          expect(again.get(key), `${key} as of ${moment[by]}, ${what} (seed ${SEED})`).toEqual(answer);
        }
      }
    },
    head,
  };
}

test('answers every GET as of a position or time as it did then, also after restarts and from a snapshot', {
  timeout: 400_000,
}, async () => {
  const gateway = await startGateway({ accounts: 3 });
  onTestFinished(() => gateway.stop());
  const { expectSame } = await play(gateway, { moments: 5, jumpMs: 30 * HOUR_MS });
  await expectSame('while it runs', 'position');
  await gateway.restart();
  await expectSame('restarted', 'time');
  await gateway.stopService();
  takeSnapshot(gateway.folder);
  await gateway.restart();
  await expectSame('started from a snapshot', 'position');
});

test.skipIf(!mongo)(
  `answers every GET as of a position over EventStoreDB and MongoDB, also on another node (${mongo?.product ?? NO_MONGODB_FOUND})`,
  { timeout: 400_000 },
  async () => {
    const server = await startFakeEventStore();
    onTestFinished(() => server.kill());
    const env = {
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SVC_EVENTSTORE_URL: server.url,
      SVC_MONGODB_URL: mongo?.newDatabase() ?? '',
    };
    const gateway = await startGateway({ accounts: 3, env: { ...env, SVC_NODE_ID: 'first' } });
    onTestFinished(() => gateway.stop());
    const { expectSame, head } = await play(gateway, { moments: 2, jumpMs: 10_000 });
    const reached = await head();
    const other = await startGateway({ accounts: 0, env: { ...env, SVC_NODE_ID: 'second' } });
    onTestFinished(() => other.stop());
    const headOfOther = async () => (await other.api('GET', '/api/status')).body.events.position;
    await vi.waitUntil(async () => (await headOfOther()) >= reached, soon);
    await expectSame('on another node', 'position', other);
    await gateway.restart();
    await expectSame('restarted', 'time');
  },
);
