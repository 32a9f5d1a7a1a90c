import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { archivableLog, entriesOf, rowsIn } from '../../test/support/archives/archivableLog.ts';
import { NOW } from '../../test/support/specification.ts';
import { position } from '../domain/core/brands.ts';
import { upcast } from '../domain/eventTypes.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { HashVerifier } from '../eventLog/verification/hashVerifier.ts';
import type { StoredRow } from '../integrity/leaf/leafEntry.ts';
import { MerkleTree } from '../integrity/merkle/merkleTree.ts';
import { LeafSource } from '../integrity/tree/leafSource.ts';
import { emptyFold, type Fold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { canonicalText } from '../state/snapshots/canonicalText.ts';
import { firstFold } from '../state/snapshots/sealedFold.ts';
import { restoreDay } from './restoreDay.ts';

const EVENTS = 400;
const DAY_MS = 86_400_000;

/** The fold of rows in memory. */
function foldOf(rows: readonly StoredRow[]): Fold {
  const fold = emptyFold();
  for (const { type, version, data, position: at, time, stream, revision } of rows) {
    const current = upcast(type, version, JSON.parse(data));
    const event = { type, data: current, position: at, time, stream, revision } as RecordedEvent;
    fold.state.apply(event);
    fold.checkpoints.onFolded(fold.state, event);
  }
  return fold;
}

/** The fold of a log's file, from where a start begins. */
async function foldOfFile(logPath: string): Promise<Fold> {
  const fold = firstFold(logPath);
  const rows = rowsIn(logPath);
  await foldFile(fold, logPath, position(rows.at(-1)?.position ?? 0));
  return fold;
}

const shown = ({ state, checkpoints }: Fold) =>
  canonicalText({ state: state.data(), stretches: checkpoints.stretches, latest: checkpoints.latest });

/** Their texts are too long for a message. */
async function expectSameFold(logPath: string, rows: readonly StoredRow[]): Promise<void> {
  expect(shown(await foldOfFile(logPath)) === shown(foldOf(rows))).toBe(true);
}

/** The rows of a log that was never archived, together with those that were written since. */
function whole(before: readonly StoredRow[], logPath: string): StoredRow[] {
  const since = rowsIn(logPath).filter((row) => row.position > (before.at(-1)?.position ?? 0));
  return [...before, ...since];
}

function rootOf(entries: Iterable<string>): string {
  const tree = new MerkleTree();
  for (const entry of entries) tree.append(entry);
  return tree.root().toString('hex');
}

function rootOfFile(logPath: string): string {
  const leaves = new LeafSource(logPath);
  const all: string[] = [];
  for (let page = leaves.after(0, 100); page.entries.length > 0; page = leaves.after(all.length, 100)) {
    all.push(...page.entries);
  }
  leaves.close();
  return rootOf(all);
}

function breaksIn(logPath: string) {
  using database = openForReading(logPath);
  const archived = ArchivedEvents.open(archivePathOf(logPath));
  const verifier = new HashVerifier(database, 0, undefined, archived);
  const found = [];
  for (let step = verifier.step(); step; step = verifier.step()) found.push(...step);
  archived?.close();
  return found;
}

test('folds archived day by day to the state, the tree and the chains of the whole log', {
  timeout: 60_000,
}, async () => {
  const { log, logPath, archive, appendRequest } = await archivableLog(EVENTS);
  const before = rowsIn(logPath);
  for (let day = 0; day * DAY_MS < EVENTS * 3_600_000; day += 3) {
    const { archived } = await archive(new Date(NOW + day * DAY_MS).toISOString().slice(0, 10));
    // A clock goes back to an archived day.
    if (day === 6) await appendRequest(NOW);
    const rows = whole(before, logPath);
    await expectSameFold(logPath, rows);
    expect(rootOfFile(logPath)).toBe(rootOf(entriesOf(rows).values()));
    expect(breaksIn(logPath)).toEqual([]);
    for (const { upTo, root } of archived) expect(root).toBe(rootOf(entriesOf(rows.slice(0, upTo)).values()));
    if (day > 0) before.push(...rows.slice(before.length));
  }
  await archive();
  const left = rowsIn(logPath).filter(({ stream }) => stream.startsWith('requests-'));
  expect(left).toEqual([]);
  await log.close();
});

test('puts back every byte of a day, and archives it again when it is asked to', async () => {
  const { logPath, folder, host, archive } = await archivableLog(100);
  const before = rowsIn(logPath);
  const { archived } = await archive();
  const [first] = archived;
  const day = first?.day as string;
  const restored = await restoreDay({ host, folder, what: day });
  expect(restored.map(({ header }) => header)).toEqual([first]);
  const rows = rowsIn(logPath);
  const wanted = before.filter(
    ({ stream }) => stream.startsWith('requests-') && stream.endsWith(day.replaceAll('-', '')),
  );
  expect(rows).toEqual(expect.arrayContaining(wanted));
  await expectSameFold(logPath, whole(before, logPath));
  const again = await archive(day);
  expect(again.archived).toMatchObject([{ day, file: first?.file, events: first?.events }]);
  await expectSameFold(logPath, whole(before, logPath));
});

test('restores from no file that differs from the archived one', async () => {
  const { folder, host, logPath, archive } = await archivableLog(60);
  const { archived } = await archive();
  const [first] = archived;
  const path = join(folder, first?.file.name as string);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  writeFileSync(path, bytes);
  const rows = rowsIn(logPath).length;
  await expect(restoreDay({ host, folder, what: first?.day as string })).rejects.toThrow('its SHA-256 differs');
  await expect(restoreDay({ host, folder, what: path })).rejects.toThrow('is not archived');
  expect(rowsIn(logPath)).toHaveLength(rows);
});

test('archives no day whose events were changed', async () => {
  const { logPath, archive, folder } = await archivableLog(60);
  const writable = new DatabaseSync(logPath);
  writable.exec("UPDATE events SET data = replace(data, 'gpt-5', 'gpt-6') WHERE stream LIKE 'requests-%'");
  writable.close();
  await expect(archive()).rejects.toThrow(/was altered.*Nothing was archived/);
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

test('keeps a day that is not over, and one that is held', async () => {
  const { host, folder, archive, appendRequest, logPath } = await archivableLog(30);
  await appendRequest(host.now());
  const today = new Date(host.now()).toISOString().slice(0, 10);
  const { kept } = await archive();
  expect(kept).toEqual([{ day: today, reason: 'the day is not over' }]);
  const { archiveDays } = await import('./archiveDays.ts');
  const later = { ...host, now: () => (host.now() + 2 * DAY_MS) as ReturnType<typeof host.now> };
  const held = await archiveDays({ host: later, folder, until: today, heldBecause: () => 'held by the court' });
  expect(held).toEqual({ archived: [], kept: [{ day: today, reason: 'held by the court' }] });
  expect(rowsIn(logPath).some(({ stream }) => stream.startsWith('requests-'))).toBe(true);
});

test('refuses a fold without the archive, and with one that was changed', async () => {
  const { logPath, archive } = await archivableLog(60);
  await archive();
  const path = archivePathOf(logPath);
  const change = (sql: string) => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  change('UPDATE segments SET state = zeroblob(10) WHERE number = (SELECT max(number) FROM segments)');
  expect(() => firstFold(logPath)).toThrow(/The state of segment \d+ in archive.sqlite was changed/);
  change('UPDATE segments SET header = replace(header, \'"events":\', \'"events":1\')');
  expect(() => firstFold(logPath)).toThrow(/The header of segment 1 in archive.sqlite was changed/);
  change('DELETE FROM segments');
  expect(() => firstFold(logPath)).toThrow(/lacks segment 1/);
});
