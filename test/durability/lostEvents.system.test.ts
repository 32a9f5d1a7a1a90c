import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { managementApi } from './support/managementApi.ts';
import { sendRequest } from './support/sendRequest.ts';
import { type ServiceExit, type ServiceProcess, serve } from './support/serve.ts';
import { requestBody } from './support/stage.ts';
import { untilMarkReachesEnd } from './support/untilMarkReachesEnd.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// Background work of a start waits for read models and tree, each for up to a minute.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

// A log that lacks events which this data folder had is never continued in silence
// (docs/decisions/0059-high-water-mark.md).

const REQUESTS = 15;

let provider: Provider;
let folders: { readonly path: string } & AsyncDisposable;
/** A data folder as `kill -9` left it, after answered requests. */
let killed: string;
/** The same folder as it was before those requests, when svc had been stopped. */
let backup: string;
/** Number of events in the log of `killed`. */
let known: number;

beforeAll(async () => {
  provider = await startProvider();
  folders = await tempDir('lost');
  [killed, backup] = [join(folders.path, 'killed'), join(folders.path, 'backup')];
  const account = provider.addAccount();
  account.always(textResponse());
  const first = start(killed);
  await managementApi(await first.listening()).importAccount(account);
  await first.stop();
  cpSync(killed, backup, { recursive: true });
  const service = start(killed);
  const url = await service.listening();
  for (let count = 0; count < REQUESTS; count += 1) {
    const { ending } = await sendRequest({ url, path: '/v1/responses', body: requestBody() });
    expect(ending).toBe('completed');
  }
  // The read models have projected the requests, so they reach further than a log that loses some of them.
  expect((await managementApi(url).requestLog()).total).toBe(REQUESTS);
  await untilMarkReachesEnd(killed, 'log');
  await untilTreeReachesEnd(killed);
  await service.kill();
  const copy = copyOf(killed);
  const log = new VerifiedLog(copy);
  log.readNew();
  known = log.length;
});

afterAll(async () => {
  await provider.close();
  await folders[Symbol.asyncDispose]();
});

async function untilTreeReachesEnd(folder: string): Promise<void> {
  using log = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
  const end = log.prepare('SELECT max(position) AS position FROM events');
  await vi.waitUntil(
    () => {
      using tree = new DatabaseSync(join(folder, 'tree.sqlite'), { readOnly: true });
      return tree.prepare('SELECT size FROM tree').get()?.size === end.get()?.position;
    },
    { timeout: 20_000, interval: 50 },
  );
}

const start = (folder: string, ...command: string[]): ServiceProcess =>
  serve({
    folder,
    provider,
    ...(command.length > 0 && { command: [process.execPath, 'src/start.mjs', ...command] }),
  });

/** Runs a command of svc to its end. */
const run = (folder: string, ...command: string[]): Promise<ServiceExit> => start(folder, ...command).ended;

let copies = 0;
function copyOf(folder: string): string {
  const path = join(folders.path, `copy-${++copies}`);
  cpSync(folder, path, { recursive: true });
  return path;
}

function logLengthOf(folder: string): number {
  const path = join(folder, 'log.sqlite');
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  const log = new VerifiedLog(folder);
  log.readNew();
  expect(log.problems).toEqual([]);
  return log.length;
}

/** Ways to lose events of the log. Each gets a folder in which svc was killed. */
const faults: Readonly<Record<string, (folder: string) => void>> = {
  'the write-ahead log was cut'(folder) {
    const wal = join(folder, 'log.sqlite-wal');
    truncateSync(wal, Math.floor(statSync(wal).size / 2));
  },
  'the write-ahead log was deleted': (folder) => rmSync(join(folder, 'log.sqlite-wal')),
  'the log was deleted'(folder) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`), { force: true });
  },
  'the log was emptied'(folder) {
    for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`));
    writeFileSync(join(folder, 'log.sqlite'), '');
  },
  'the end of the log was deleted'(folder) {
    using log = new DatabaseSync(join(folder, 'log.sqlite'));
    log.exec('DELETE FROM events WHERE position > 5; PRAGMA wal_checkpoint(TRUNCATE)');
  },
  'the end of the log was deleted, with the mark and the read models'(folder) {
    faults['the end of the log was deleted']?.(folder);
    rmSync(join(folder, 'log.mark'));
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `readmodels.sqlite${suffix}`), { force: true });
  },
  'the log was replaced by an older copy'(folder) {
    for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`));
    cpSync(join(backup, 'log.sqlite'), join(folder, 'log.sqlite'));
  },
  'the log was deleted, with its mark and the snapshots'(folder) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`), { force: true });
    rmSync(join(folder, 'log.mark'));
  },
  'the end of the log was deleted, with the mark, the read models and the snapshots'(folder) {
    faults['the end of the log was deleted, with the mark and the read models']?.(folder);
    rmSync(join(folder, 'snapshots'), { recursive: true, force: true });
    using log = new DatabaseSync(join(folder, 'log.sqlite'));
    log.exec("UPDATE sqlite_sequence SET seq = 5 WHERE name = 'events'");
  },
  'the write-ahead log was deleted, with the read models'(folder) {
    rmSync(join(folder, 'log.sqlite-wal'));
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `readmodels.sqlite${suffix}`), { force: true });
  },
};

test.each(Object.entries(faults))(
  'refuses to start after kill -9 until the loss is accepted, when %s',
  async (_what, damage) => {
    const folder = copyOf(killed);
    damage(folder);
    const left = logLengthOf(copyOf(folder));
    const refused = await run(folder, 'serve');
    expect(refused).toMatchObject({ exitCode: 1, stdout: [] });
    expect(refused.stderr).toEqual([
      expect.stringMatching(/(\d+) events are missing\. Restore log\.sqlite .* run "svc accept-loss"/),
    ]);
    expect(refused.stderr[0]).toMatch(new RegExp(`reached position ${known}\\b`));
    expect(refused.stderr[0]).toContain(`: ${known - left} events are missing`);

    const accepted = await run(folder, 'accept-loss');
    expect(accepted).toMatchObject({ exitCode: 0, stderr: [] });
    expect(accepted.stdout[0]).toMatch(/^Accepted: .*log\.sqlite .* events are missing\.$/);
    expect(accepted.stdout.at(-1)).toBe('svc can be started now.');

    const service = start(folder);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const api = managementApi(await service.listening());
    const history = await api.call('GET', '/api/history?type=LossAccepted');
    expect(history.events).toEqual([expect.objectContaining({ type: 'LossAccepted' })]);
    expect(await service.stop()).toMatchObject({ exitCode: 0, stderr: [] });
    expect(await run(folder, 'rebuild', '--compare')).toMatchObject({ exitCode: 0 });
    expect(logLengthOf(folder)).toBeGreaterThan(left);
  },
);

test('acknowledges nothing after the write-ahead log was cut while svc runs, and copies no gap into the log', async () => {
  const folder = copyOf(killed);
  const service = start(folder);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();
  const api = managementApi(url);
  const change = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/api-keys`, { method: 'POST', headers, body: '{"name":"a key"}' });
    return { status: response.status, code: ((await response.json()) as { error?: { code: string } }).error?.code };
  };
  expect(await change()).toMatchObject({ status: 200 });
  truncateSync(join(folder, 'log.sqlite-wal'), 0);
  const refused = { status: 503, code: 'log_unavailable' };
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await change()).toEqual(refused);
  const response = await sendRequest({ url, path: '/v1/responses', body: requestBody() });
  expect(response).toMatchObject({ status: 503 });
  const { problems } = await api.call('GET', '/api/status');
  expect(problems.filter(({ code }: { code: string }) => code.startsWith('log_'))).toEqual([
    expect.objectContaining({ code: 'log_refuses_events', remedy: expect.stringContaining('svc accept-loss') }),
  ]);
  service.signal('SIGTERM');
  const { stdout } = await service.ended;
  expect(stdout.filter((line) => line.includes('refuses events'))).toHaveLength(1);
  expect((await run(folder, 'serve')).stderr).toEqual([expect.stringMatching(/\d+ events? (is|are) missing/)]);
  expect((await run(folder, 'accept-loss')).exitCode).toBe(0);
  expect(logLengthOf(folder)).toBeGreaterThan(0);
});

test('refuses again and again, and changes nothing, until a loss is accepted once', async () => {
  const folder = copyOf(killed);
  faults['the log was deleted']?.(folder);
  const before = readdirSync(folder);
  const lines = new Set<string>();
  for (let attempt = 0; attempt < 3; attempt += 1) lines.add((await run(folder, 'serve')).stderr.join('\n'));
  expect(lines.size).toBe(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('log.'))).toEqual(
    before.filter((name) => name.startsWith('log.')),
  );
  expect((await run(folder, 'accept-loss')).exitCode).toBe(0);
  expect((await run(folder, 'accept-loss')).stdout).toEqual(['Nothing is missing, so nothing was changed.']);
});

test('starts from the folder that kill -9 left, and after each stop', async () => {
  const folder = copyOf(killed);
  for (let turn = 0; turn < 2; turn += 1) {
    const service = start(folder);
    onTestFinished(() => service[Symbol.asyncDispose]());
    await service.listening();
    expect(await service.stop()).toMatchObject({ exitCode: 0, stderr: [] });
    const { length } = readFileSync(join(folder, 'log.mark'), 'utf8').split('svc-mark-1 ');
    expect(length).toBeGreaterThan(1);
  }
});

test('starts from an older copy of the whole folder', async () => {
  const service = start(copyOf(backup));
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.listening();
  expect(await service.stop()).toMatchObject({ exitCode: 0, stderr: [] });
});

test('starts from a folder without a mark, as an earlier version left it, and writes one', async () => {
  const folder = copyOf(killed);
  rmSync(join(folder, 'log.mark'));
  const service = start(folder);
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.listening();
  expect(await service.stop()).toMatchObject({ exitCode: 0, stderr: [] });
  rmSync(join(folder, 'readmodels.sqlite'));
  using log = new DatabaseSync(join(folder, 'log.sqlite'));
  log.exec('DELETE FROM events WHERE position > 5');
  log.close();
  expect((await run(folder, 'serve')).stderr.join()).toContain('log.mark proves that it reached position');
});

test('refuses a log that has another event at the last known position', async () => {
  const folder = copyOf(killed);
  using log = new DatabaseSync(join(folder, 'log.sqlite'));
  log.exec(`UPDATE events SET metadata = json_set(metadata, '$.hash', 'f') WHERE position = ${known}`);
  log.close();
  const { exitCode, stderr } = await run(folder, 'serve');
  expect(exitCode).toBe(1);
  expect(stderr).toEqual([expect.stringContaining('is not the log that this data folder had')]);
});

test('refuses a log from whose middle an event was deleted, until that is accepted', async () => {
  const folder = copyOf(killed);
  using log = new DatabaseSync(join(folder, 'log.sqlite'));
  // The only event of its stream: nothing but the positions shows that it is missing.
  const deleted = log.prepare("DELETE FROM events WHERE type = 'NodeStarted' RETURNING position").get();
  const position = Number(deleted?.position);
  log.close();
  const refused = await run(folder, 'serve');
  expect(refused).toMatchObject({ exitCode: 1, stdout: [] });
  expect(refused.stderr).toEqual([
    expect.stringMatching(
      new RegExp(
        `is broken at position ${position + 1}: .* follows position ${position - 1}\\. Events are missing.* run "svc accept-loss"`,
      ),
    ),
  ]);
  const exported = await run(folder, 'export', join(folder, 'export.ndjson'));
  expect(exported.stderr).toContain(
    `The export will not have all events: the log has no event at position ${position}.`,
  );
  expect(existsSync(join(folder, 'export.ndjson'))).toBe(true);

  const accepted = await run(folder, 'accept-loss');
  expect(accepted).toMatchObject({ exitCode: 0, stderr: [] });
  expect(accepted.stdout[0]).toMatch(new RegExp(`^Accepted: .* is broken at position ${position + 1}`));
  for (let turn = 0; turn < 2; turn += 1) {
    const service = start(folder);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const api = managementApi(await service.listening());
    expect((await api.requestLog()).total).toBe(REQUESTS);
    await vi.waitUntil(async () => (await api.call('GET', '/api/integrity')).tree_size > known, { timeout: 20_000 });
    await service.stop();
  }
  // Its tree has a leaf for the missing event.
  const compared = await run(folder, 'rebuild', '--compare');
  expect(compared).toMatchObject({ exitCode: 0, stderr: [] });
  expect(compared.stdout.join('\n')).toContain('no difference in the tree');
});

test('names an event that was altered, in one line and in the status', async () => {
  const folder = copyOf(killed);
  using log = new DatabaseSync(join(folder, 'log.sqlite'));
  log.exec(`UPDATE events SET data = replace(data, '"latencyMs":', '"latencyMs":1') WHERE type = 'RequestCompleted'`);
  log.close();
  const service = start(folder);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const api = managementApi(await service.listening());
  await service.printed(
    /log\.sqlite is broken at position \d+: the event of requests-\S+ there is not what its hash says/,
  );
  const { problems } = await api.call('GET', '/api/status');
  // The signer finds it too, if it comes to sign meanwhile.
  const found = problems.filter(({ code }: { code: string }) => code !== 'checkpoint_log_changed');
  expect(found).toEqual([
    expect.objectContaining({ code: 'log_altered', subject: expect.stringMatching(/^requests-/) }),
  ]);
  expect((await service.stop()).stdout.filter((line) => line.includes('is broken'))).toHaveLength(1);
});

test('advises to delete read models of another installation, and makes them again then', async () => {
  const folder = copyOf(backup);
  const path = join(folder, 'readmodels.sqlite');
  for (const suffix of ['', '-wal']) cpSync(join(killed, `readmodels.sqlite${suffix}`), path + suffix);
  const { exitCode, stderr } = await run(folder, 'serve');
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: [
      expect.stringMatching(/copied from another installation, delete readmodels\.sqlite: svc makes it again\.$/),
    ],
  });
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const service = start(folder);
  onTestFinished(() => service[Symbol.asyncDispose]());
  expect((await managementApi(await service.listening()).requestLog()).total).toBe(0);
});

test('starts again when the missing files are restored', async () => {
  const folder = copyOf(killed);
  const [wal, aside] = [join(folder, 'log.sqlite-wal'), join(folder, 'aside')];
  renameSync(wal, aside);
  expect((await run(folder, 'serve')).exitCode).toBe(1);
  rmSync(wal, { force: true });
  renameSync(aside, wal);
  rmSync(join(folder, 'log.sqlite-shm'), { force: true });
  const service = start(folder);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const api = managementApi(await service.listening());
  expect((await api.requestLog()).total).toBe(REQUESTS);
});

test('commands that only read work on a log whose start is refused, and say what is missing', async () => {
  const folder = copyOf(killed);
  rmSync(join(folder, 'log.sqlite-wal'));
  const file = join(folder, 'export.ndjson');
  const exported = await run(folder, 'export', file);
  expect(exported).toMatchObject({ exitCode: 0 });
  expect([...exported.stdout, ...exported.stderr].join('\n')).toMatch(/events are missing/);
  expect(existsSync(file)).toBe(true);
  // It finds that the read models reach further, which is a difference.
  expect((await run(folder, 'rebuild', '--compare')).exitCode).toBe(1);
  expect((await run(folder, 'help')).exitCode).toBe(0);
  expect((await run(folder, 'serve')).stderr.join()).toContain('events are missing');
});

test.each([['rebuild'], ['reset-password']])('%s refuses a log that lacks events', async (command) => {
  const folder = copyOf(killed);
  rmSync(join(folder, 'log.sqlite-wal'));
  const { exitCode, stderr } = await run(folder, command);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: [expect.stringContaining('events are missing')] });
});
