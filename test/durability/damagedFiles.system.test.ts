import { randomBytes } from 'node:crypto';
import { closeSync, cpSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openCluster } from '../nodes/cluster.ts';
import { startGateway, validRequest } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { managementApi } from './support/managementApi.ts';
import { type ServeOptions, serve } from './support/serve.ts';

// A damaged file gets a sentence that names it and says what to do; what can be made again is made again.

vi.setConfig({ testTimeout: 180_000 });

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'was cut to nothing': (path) => truncateSync(path, 0),
  'has another header': (path) => overwrite(path, 0, 200),
  'was overwritten in the middle': overwriteMiddle,
};

function overwrite(path: string, offset: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, randomBytes(length), 0, length, offset);
  closeSync(file);
}

function overwriteMiddle(path: string): void {
  const { size } = statSync(path);
  const from = Math.floor(size / 4 / 4_096) * 4_096;
  overwrite(path, from, Math.max(4_096, Math.floor(size / 2)));
}

let original: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  original = await tempDir('damaged');
  const gateway = await startGateway({ accounts: 2, folder: original.path });
  for (const { at } of gateway.pool) at.always(textResponse());
  for (let request = 0; request < 120; request += 1) {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(validRequest),
    });
    await response.text();
    expect(response.status).toBe(200);
  }
  await gateway.stop();
  return () => original[Symbol.asyncDispose]();
}, 60_000);

/** A copy of a folder in which a service has run. */
async function usedFolder(): Promise<string> {
  const copy = await tempDir('damaged-copy');
  onTestFinished(() => copy[Symbol.asyncDispose]());
  cpSync(original.path, copy.path, { recursive: true });
  return copy.path;
}

const launch = (options: ServeOptions) => {
  const service = serve({ timeoutMs: 20_000, ...options });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
};

async function refusedStart(options: ServeOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await launch(options).ended;
  expect({ exitCode, stdout, lines: stderr.length }).toEqual({ exitCode: 1, stdout: [], lines: 1 });
  return stderr[0] as string;
}

/** What is wrong with the files: no provider answers in these tests. */
const problemsOf = async (url: string) =>
  (await managementApi(url).call('GET', '/api/status')).problems.filter(
    ({ code }: { code: string }) => code !== 'models_unavailable',
  );

test.each(Object.entries(DAMAGES))('refuses a log that %s, with its path and what to do', async (what, damage) => {
  const folder = await usedFolder();
  const path = join(folder, 'log.sqlite');
  damage(path);
  const line = await refusedStart({ folder });
  expect(line).toContain(path);
  expect(line).toMatch(
    what === 'was cut to nothing'
      ? /Restore log\.sqlite together with/
      : /is damaged, or not a file of svc: .+\. Stop svc and restore the data folder from a backup\.$/,
  );
});

test.each(Object.entries(DAMAGES).slice(1))(
  'refuses a vault that %s, with its path and what to do',
  async (_, damage) => {
    const folder = await usedFolder();
    const path = join(folder, 'vault.sqlite');
    damage(path);
    const line = await refusedStart({ folder });
    expect(line).toContain(`${path} is damaged, or not a file of svc: `);
    expect(line).toMatch(/Restore it from a backup, together with master\.key\. .* "svc accept-loss --vault"/);
  },
);

test.each(Object.entries(DAMAGES))('makes read models again whose file %s, and says so', async (_, damage) => {
  const folder = await usedFolder();
  const path = join(folder, 'readmodels.sqlite');
  damage(path);
  const service = launch({ folder });
  const url = await service.listening();
  await vi.waitUntil(async () => (await managementApi(url).requestLog(1)).total === 120, { timeout: 60_000 });
  expect(await problemsOf(url)).toEqual([]);
  service.signal('SIGTERM');
  const { stdout, stderr } = await service.ended;
  expect(stderr).toEqual([]);
  expect(stdout.filter((line) => line.includes(path))).toEqual([
    expect.stringMatching(
      /is damaged\. It is removed and made again from the event log; .* You need not do anything\./,
    ),
    expect.stringMatching(/is complete again\.$/),
  ]);
});

test.each(Object.entries(DAMAGES))('starts over a lock file that %s', async (_, damage) => {
  const folder = await usedFolder();
  const path = join(folder, 'lock.sqlite');
  truncateSync(path, 8_192);
  damage(path);
  const service = launch({ folder });
  await service.listening();
});

test('names a log that is found damaged while svc runs, once in a line and in the status', async () => {
  const folder = await usedFolder();
  const path = join(folder, 'log.sqlite');
  const service = launch({ folder });
  const url = await service.listening();
  overwriteMiddle(path);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const history = await fetch(`${url}/api/history?limit=200`);
    const answer = await history.text();
    // SQLite may still hold pages that it read before they were damaged.
    if (history.status !== 200)
      expect([history.status, answer]).toEqual([503, expect.stringContaining('read_models_unavailable')]);
    await (await fetch(`${url}/api/settings?at=50`)).text();
  }
  await vi.waitUntil(async () => (await problemsOf(url)).length > 0, { timeout: 60_000 });
  expect(await problemsOf(url)).toEqual([
    expect.objectContaining({
      code: 'file_damaged',
      subject: path,
      cause: `${path} is damaged, or not a file of svc: database disk image is malformed.`,
      remedy: 'Stop svc and restore the data folder from a backup.',
    }),
  ]);
  service.signal('SIGTERM');
  const { stdout, stderr } = await service.ended;
  expect([...stdout, ...stderr].filter((line) => line.includes('malformed'))).toHaveLength(1);
});

test.each([
  ['lacks a field', 'ApiKeyCreated', (data: Record<string, unknown>) => delete data.name, /lacks the field "name"/],
  [
    'has a number for a text',
    'AccountImported',
    (data: Record<string, unknown>) => Object.assign(data, { planType: 5 }),
    /wrong kind in "planType"/,
  ],
  [
    'lacks a field that the fast readers look for',
    'RequestCompleted',
    (data: Record<string, unknown>) => delete data.model,
    /lacks the field "model"/,
  ],
  ['is not JSON', 'RequestCompleted', () => '{"requestId":', / is not JSON: it was changed/],
])(
  'refuses to start over an event that %s, with position, stream, type and field',
  async (_, type, change, problem) => {
    const folder = await usedFolder();
    const gateway = await startGateway({ accounts: 0, folder });
    await fetch(`${gateway.url}/api/api-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'k' }),
    });
    await gateway.stop();
    const database = new DatabaseSync(join(folder, 'log.sqlite'));
    const event = database.prepare('SELECT position, stream, data FROM events WHERE type = ? LIMIT 1').get(type) as {
      position: number;
      stream: string;
      data: string;
    };
    const data = JSON.parse(event.data);
    const text = change(data);
    database
      .prepare('UPDATE events SET data = ? WHERE position = ?')
      .run(typeof text === 'string' ? text : JSON.stringify(data), event.position);
    database.close();
    rmSync(join(folder, 'snapshots'), { recursive: true, force: true });
    const line = await refusedStart({ folder });
    expect(line).toContain(`The event at position ${event.position} of the log ("${type}" in stream ${event.stream})`);
    expect(line).toMatch(problem);
    expect(line).toMatch(/Restore the data folder, .* from a backup\.$/);
  },
);

const copiedAgain = { listening: true, lines: [expect.stringMatching(/is copied again from EventStoreDB\.$/)] };

test.each([
  [
    'mirror.sqlite',
    {
      'was cut to nothing': copiedAgain,
      'has another header': copiedAgain,
      'was overwritten in the middle': {
        listening: false,
        lines: [expect.stringMatching(/Stop svc and delete it: the next start copies it again from EventStoreDB\.$/)],
      },
    },
  ],
  [
    'outbox.sqlite',
    {
      // Everything in it was drained, as its mark says.
      'was cut to nothing': { listening: true, lines: [] },
      'has another header': {
        listening: false,
        lines: [expect.stringMatching(/Restore it from a backup, or move it away and run "svc accept-loss"/)],
      },
      'was overwritten in the middle': {
        listening: false,
        lines: [expect.stringMatching(/Restore it from a backup, or move it away and run "svc accept-loss"/)],
      },
    },
  ],
])('over EventStoreDB, says what to do about each damage of %s', async (name, outcomes) => {
  const expected: Readonly<Record<string, object>> = outcomes;
  const cluster = await openCluster();
  const node = await cluster.node('a');
  await node.api.set({ api_key_auth_enabled: false });
  for (let request = 0; request < 30; request += 1) await node.ask();
  await node.stop();
  const folder = await cluster.folderOf('a');
  const kept = await tempDir('damaged-node');
  onTestFinished(() => kept[Symbol.asyncDispose]());
  cpSync(folder, kept.path, { recursive: true });
  const path = join(folder, name);
  for (const [what, damage] of Object.entries(DAMAGES)) {
    cpSync(kept.path, folder, { recursive: true });
    damage(path);
    const service = await cluster.launch('a');
    const listening = await service.listening().then(
      () => true,
      () => false,
    );
    if (listening) service.signal('SIGTERM');
    const { stdout, stderr } = await service.ended;
    const lines = [...stdout, ...stderr].filter((line) => line.includes(path));
    expect({ what, listening, lines }).toEqual({ what, ...expected[what] });
  }
});
