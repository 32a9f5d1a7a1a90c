import { createHmac, hash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
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
import { DatabaseSync } from 'node:sqlite';
import { serialize } from 'node:v8';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { ip } from '../../../test/support/specification.ts';
import { position } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import type { Fold } from '../fold/fold.ts';
import { startHotRunner } from '../hotRunner.ts';
import { canonicalText } from './canonicalText.ts';
import { dataOf } from './dataOf.support.ts';
import { foldName } from './foldVersion.ts';
import { keepSnapshots } from './keepSnapshots.ts';
import { makeSnapshot } from './makeSnapshot.ts';
import { writeSnapshot } from './snapshotFile.ts';
import { newestSnapshot, SnapshotFolder } from './snapshotFolder.ts';

// The thread that writes snapshots has low priority.
vi.setConfig({ testTimeout: 60_000 });

const KEY = randomBytes(32);
const STREAM = 'firewall-main';
/** A hundred addresses in rotation: a fold copies all of them for each event. */
const addressAt = (revision: number) => ip(`10.0.0.${revision % 100}`);

/** A log with a folder of snapshots beside it. */
async function createNode() {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const logPath = join(temp.path, 'log.sqlite');
  const folder = new SnapshotFolder(join(temp.path, 'snapshots'), KEY);
  let log: EventLog | undefined = await createSqliteEventLog({ path: logPath, node: 'n1' });
  onTestFinished(() => log?.close());
  let revision = -1;
  const reported: string[] = [];
  const node = {
    logPath,
    folder,
    reported,
    get log() {
      if (!log) throw new Error('the log is closed');
      return log;
    },
    async append(count: number) {
      const events = Array.from({ length: count }, (_, index) =>
        anEvent({ data: { ip: addressAt(revision + 1 + index) } }),
      );
      const outcome = await node.log.append(STREAM, revision, events);
      expect(outcome).toMatchObject({ kind: 'committed', revision: revision + count });
      revision += count;
    },
    snapshot: (minEvents = 1) =>
      makeSnapshot({ logPath, folder: folder.path, key: KEY, basis: folder.names()[0], verifies: false, minEvents }),
    path: (index = 0) => join(folder.path, folder.names()[index] as string),
    /** Starts a node. @returns where its fold began, and the fold at the end of the log */
    async start() {
      const snapshot = await newestSnapshot(folder, node.log, (line) => reported.push(line));
      const hot = await startHotRunner(node.log, (error) => reported.push(error.message), snapshot?.fold);
      onTestFinished(() => hot.stop());
      return { hot, begunAt: snapshot?.position ?? 0 };
    },
    /** Changes the log's file while it is closed. */
    async change(sql: string) {
      await log?.close();
      const database = new DatabaseSync(logPath);
      database.exec(sql);
      database.close();
      log = await createSqliteEventLog({ path: logPath, node: 'n1' });
    },
    /** Starts a node that keeps snapshots. */
    async keep(interval: number) {
      const { hot, begunAt } = await node.start();
      const refuted: string[] = [];
      const onRefuted = (error: Error) => refuted.push(error.message);
      const keeper = keepSnapshots({
        hot,
        logPath,
        folder,
        isStartedFromSnapshot: begunAt > 0,
        onRefuted,
        report: (line) => reported.push(line),
        interval,
        checkMs: 20,
      });
      onTestFinished(() => keeper.stop());
      keeper.start();
      return { keeper, refuted };
    },
  };
  return node;
}
type Node = Awaited<ReturnType<typeof createNode>>;

const positions = ({ folder }: Node) => folder.names().map((name) => Number(/\d+/.exec(name)?.[0]));
const contentOf = ({ state, checkpoints }: Fold) => canonicalText(dataOf({ state, checkpoints }));

test('a start from the newest snapshot gives the same state as one without snapshots', async () => {
  const node = await createNode();
  await node.append(1_500);
  node.snapshot();
  await node.append(1_200);
  node.snapshot();
  await node.append(700);
  const { hot, begunAt } = await node.start();
  expect({ begunAt, position: hot.state.position }).toEqual({ begunAt: 2_700, position: 3_400 });
  node.folder.clear();
  const { hot: fromNothing, begunAt: beginning } = await node.start();
  expect(beginning).toBe(0);
  expect(contentOf(hot)).toBe(contentOf(fromNothing));
  expect(node.reported).toEqual([]);
});

test('a snapshot of the last event of the log leaves nothing to fold', async () => {
  const node = await createNode();
  await node.append(20);
  node.snapshot();
  const { hot, begunAt } = await node.start();
  expect([begunAt, hot.state.position, hot.state.firewall.size]).toEqual([20, 20, 20]);
  await node.append(1);
  await hot.whenFolded(position(21));
  expect(hot.state.firewall.size).toBe(21);
});

const unusable: [string, RegExp, (node: Node) => void | Promise<void>][] = [
  ['was cut off', /is not authentic/, (node) => truncateSync(node.path(), statSync(node.path()).size - 1)],
  ['is empty', /is not authentic/, (node) => truncateSync(node.path(), 0)],
  ['is longer', /is not authentic/, (node) => appendFileSync(node.path(), 'x')],
  ['has a flipped bit in its last checkpoint', /is not authentic/, (node) => flipBit(node.path(), -5)],
  [
    'has a changed part',
    /is not authentic: it is damaged, was changed, or was written with another master key or by an older svc/,
    (node) => rewrite(node, (content) => content.replace('10.0.0.39', '10.9.9.39')),
  ],
  [
    'has a part that another snapshot of this installation has',
    /is not authentic/,
    (node) => {
      const [newer, older] = [0, 1].map((index) => readFileSync(node.path(index), 'latin1').split('\n'));
      const head = [newer?.[0], newer?.[1]];
      writeFileSync(node.path(), [...head, ...(older?.slice(2) ?? [])].join('\n'), 'latin1');
    },
  ],
  [
    'was written by an svc whose MAC covered all of it',
    /or by an older svc/,
    (node) => {
      const content = serialize({ state: {} });
      const head = Buffer.from(`${JSON.stringify({ fold: foldName, position: 40 })}\n`);
      writeFileSync(node.path(), `${macOf(Buffer.concat([head, content]))}\n`);
      appendFileSync(node.path(), Buffer.concat([head, content]));
    },
  ],
  [
    'has a head with a plain hash',
    /is not authentic/,
    (node) =>
      rewrite(
        node,
        (content) => content,
        (head) => hash('sha256', head),
      ),
  ],
  [
    'has a MAC made with another key',
    /is not authentic/,
    (node) =>
      rewrite(
        node,
        (content) => content,
        (head) => macOf(head, randomBytes(32)),
      ),
  ],
  [
    'was made by another version of the fold',
    /was made by another version of svc/,
    (node) => rewrite(node, (content) => content.replace(/"fold":"\d+/, '"fold":"0')),
  ],
  [
    'is ahead of a log that was restored from a backup',
    /is ahead of the log, which ends at 35/,
    (node) => node.change('DELETE FROM events WHERE position > 35'),
  ],
  [
    'ends with another event than the restored log',
    /is of another log: the event at 40 is not the one that it ends with/,
    (node) => node.change("UPDATE events SET id = '00000000-0000-4000-8000-000000000000' WHERE position = 40"),
  ],
  [
    'ends with an event whose hash has changed',
    /is of another log: the event at 40/,
    (node) => node.change("UPDATE events SET metadata = json_set(metadata, '$.hash', 'ff') WHERE position = 40"),
  ],
  [
    'is an older one under its name',
    /ends at position 30, not at the one in its name/,
    (node) => copyFileSync(node.path(1), node.path()),
  ],
  ['is no file', /cannot be read: EISDIR/, replaceByFolder],
];

function replaceByFolder(node: Node): void {
  const path = node.path();
  rmSync(path);
  mkdirSync(path);
}

const macOf = (content: Buffer | string, key: Uint8Array = KEY) =>
  createHmac('sha256', key).update(content).digest('hex');

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  writeFileSync(path, bytes);
}

/** Changes a snapshot behind its first line, and writes that line for its changed head. */
function rewrite(node: Node, change: (content: string) => string, firstLine: (head: string) => string = macOf) {
  const before = readFileSync(node.path(), 'latin1');
  const content = change(before.slice(65));
  const after = `${firstLine(content.slice(0, content.indexOf('\n')))}\n${content}`;
  expect(after).not.toBe(before);
  writeFileSync(node.path(), after, 'latin1');
}

test.each(unusable)(
  'ignores with one line a snapshot that %s, and uses the one before it',
  async (_, reason, damage) => {
    const node = await createNode();
    await node.append(30);
    node.snapshot();
    await node.append(10);
    node.snapshot();
    await node.append(5);
    expect(positions(node)).toEqual([40, 30]);
    await damage(node);
    const { hot, begunAt } = await node.start();
    expect({ begunAt, addresses: hot.state.firewall.size }).toEqual({ begunAt: 30, addresses: hot.state.position });
    expect(node.reported).toEqual([expect.stringMatching(reason)]);
    expect(node.reported[0]).toContain('hot-000000000000040.snapshot');
    expect(positions(node)).toEqual([30]);
  },
);

test('folds the log from its beginning when no snapshot is usable', async () => {
  const [node, other] = [await createNode(), await createNode()];
  for (const { append } of [node, other]) await append(30);
  other.snapshot();
  node.folder.write(other.folder.read(other.folder.names()[0] as string));
  const { hot, begunAt } = await node.start();
  expect([begunAt, hot.state.position, hot.state.firewall.size]).toEqual([0, 30, 30]);
  expect(node.reported).toEqual([expect.stringMatching(/is of another log/)]);
});

test('writes snapshots while the log grows, and keeps the last two, readable by the owner only', async () => {
  const node = await createNode();
  await node.append(5);
  const { refuted } = await node.keep(10);
  expect(existsSync(node.folder.path)).toBe(false);
  for (const end of [10, 20, 30]) {
    await node.append(end === 10 ? 5 : 10);
    await vi.waitUntil(() => positions(node)[0] === end, { timeout: 45_000 });
  }
  // The oldest one is removed after the newest was written.
  await expect.poll(() => positions(node), { timeout: 45_000 }).toEqual([30, 20]);
  expect(readdirSync(node.folder.path)).toHaveLength(2);
  expect(statSync(node.path()).mode & 0o777).toBe(0o600);
  expect(statSync(node.folder.path).mode & 0o777).toBe(0o700);
  expect({ refuted, reported: node.reported }).toEqual({ refuted: [], reported: [] });
});

test('makes a snapshot again that was deleted while it runs, and says so', async () => {
  const node = await createNode();
  await node.append(10);
  await node.keep(10);
  await vi.waitUntil(() => positions(node)[0] === 10, { timeout: 45_000 });
  const path = node.path();
  rmSync(node.folder.path, { recursive: true });
  await vi.waitUntil(() => existsSync(path), { timeout: 45_000 });
  expect(node.reported).toEqual([`${path} was deleted or moved while svc runs; the snapshot is made again.`]);
});

test('a start from a snapshot verifies it, then writes the next one', async () => {
  const node = await createNode();
  await node.append(2_100);
  node.snapshot();
  await node.append(50);
  const { refuted } = await node.keep(50);
  await vi.waitUntil(() => positions(node)[0] === 2_150, { timeout: 45_000 });
  expect({ refuted, reported: node.reported }).toEqual({ refuted: [], reported: [] });
});

const tampered: [string, string, RegExp][] = [
  [
    'an event before it was changed',
    `UPDATE events SET data = '{"ip":"192.0.2.1"}' WHERE position = 7`,
    /at position 1000 the log gives different firewall/,
  ],
  [
    'an event before it was deleted',
    'DELETE FROM events WHERE position = 1290',
    /at position 1300 the log gives different firewall/,
  ],
  [
    'an event before it cannot be read',
    `UPDATE events SET data = '{' WHERE position = 7`,
    /The event at position 7 of the log .* is not JSON: .* from a backup\. The snapshots are removed/,
  ],
  [
    'an event before it has an unknown type',
    `UPDATE events SET type = 'KeyRevokedByDecree' WHERE position = 1200`,
    /type "KeyRevokedByDecree"/,
  ],
];

test.each(tampered)('refutes a snapshot when %s', async (_, sql, reason) => {
  const node = await createNode();
  await node.append(1_300);
  node.snapshot();
  await node.change(sql);
  const { refuted } = await node.keep(1_000_000);
  await vi.waitUntil(() => refuted.length > 0, { timeout: 45_000 });
  expect(refuted).toEqual([expect.stringMatching(reason)]);
  // The next start then fails with the same error as a start without snapshots.
  expect(node.folder.names()).toEqual([]);
});

test('refutes a snapshot with a valid MAC whose content the log does not give', async () => {
  const node = await createNode();
  await node.append(40);
  node.snapshot();
  const snapshot = node.folder.read(node.folder.names()[0] as string);
  const { state } = snapshot.fold;
  state.settings = { ...state.settings, apiKeyAuthEnabled: true };
  writeSnapshot(node.path(), KEY, snapshot);
  const { refuted } = await node.keep(1_000_000);
  await vi.waitUntil(() => refuted.length > 0, { timeout: 45_000 });
  expect(refuted).toEqual([expect.stringMatching(/at position 40 the log gives different settings/)]);
});

test('a node that cannot write snapshots reports it and keeps running', async () => {
  const node = await createNode();
  writeFileSync(node.folder.path, 'a file where the folder should be');
  await node.append(30);
  const { refuted } = await node.keep(10);
  await vi.waitUntil(() => node.reported.length > 0, { timeout: 45_000 });
  expect(node.reported).toEqual([
    expect.stringMatching(/^Couldn't make a snapshot of the hot state: .*(EEXIST|ENOTDIR)/),
  ]);
  expect(refuted).toEqual([]);
});
