import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { MarkFile, readMarkFile } from '../../dataFolder/markFile.ts';
import { position } from '../../domain/core/brands.ts';
import { LOSSES_STREAM, LossAccepted } from '../../domain/losses/events.ts';
import { Faults } from '../../lib/faults.ts';
import { NO_STREAM } from '../eventLog.ts';
import { createSqliteEventLog } from '../sqlite/sqliteEventLog.ts';
import { HashVerifier } from './hashVerifier.ts';
import { keepVerified } from './keepVerified.ts';

const soon = { timeout: 20_000, interval: 5 };

/** A log of two streams, with 30 and with 600 events. */
async function aLog() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  const markPath = join(folder.path, 'verified.mark');
  const log = await createSqliteEventLog({ path, node: 'n1' });
  const appends = Array.from({ length: 30 }, (_, turn) => [
    log.append('firewall-a', turn - 1, someEvents(1)),
    log.append('firewall-b', 20 * turn - 1, someEvents(20)),
  ]);
  await Promise.all(appends.flat());
  const head = await log.head();
  await log.close();
  return { path, markPath, head, change: (sql: string) => change(path, sql) };
}

function change(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

function breaksIn(path: string, after = 0) {
  using database = new DatabaseSync(path, { readOnly: true });
  const verifier = new HashVerifier(database, after);
  const found = [];
  for (let step = verifier.step(); step; step = verifier.step()) found.push(...step);
  return found.map(({ position: at, stream, isAltered, reason }) => ({ at, stream, isAltered, reason }));
}

/** Verifies in the background, with the times of a test. */
function verifierOf(
  { path, markPath, head }: Pick<Awaited<ReturnType<typeof aLog>>, 'path' | 'markPath' | 'head'>,
  { now = () => 1_000_000 as number } = {},
) {
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now });
  const verifier = keepVerified({
    logPath: path,
    markPath,
    head: () => head,
    faults,
    report: (error) => lines.push(error.message),
    now,
    timing: { firstAfterMs: 0, intervalMs: 10, wholeIntervalMs: 500_000 },
  });
  onTestFinished(() => verifier.stop());
  verifier.start();
  const mark = () => {
    const content = readMarkFile<{ position: number; wholeAt: number }>(markPath);
    return content.kind === 'mark' ? content.mark : undefined;
  };
  return { verifier, faults, lines, mark };
}

test('finds nothing in an intact log, from whichever position it verifies', async () => {
  const { path, head } = await aLog();
  for (const after of [0, 1, 100, 629, head]) expect(breaksIn(path, after)).toEqual([]);
});

test('accepts JSON that is spelled in another way than it was hashed', async () => {
  const { path, change } = await aLog();
  change(`UPDATE events SET metadata = replace(metadata, '","', '", "'), data = replace(data, ':', ': ')`);
  expect(breaksIn(path)).toEqual([]);
});

test.each([
  ['data', `UPDATE events SET data = replace(data, '10.', '11.') WHERE position = 300`],
  ['time', 'UPDATE events SET time = time + 1 WHERE position = 300'],
  ['type', `UPDATE events SET type = 'IpRevoked' WHERE position = 300`],
  ['version', 'UPDATE events SET version = 2 WHERE position = 300'],
  ['actor', `UPDATE events SET metadata = replace(metadata, '"node":"n1"', '"node":"n2"') WHERE position = 300`],
  ['JSON', `UPDATE events SET data = '{' WHERE position = 300`],
])('finds an event whose %s was changed', async (_what, sql) => {
  const { path, change } = await aLog();
  change(sql);
  expect(breaksIn(path)).toEqual([
    { at: 300, stream: 'firewall-b', isAltered: true, reason: 'is not what its hash says: it was altered' },
  ]);
});

test('finds an event that was deleted, unless its loss was accepted later', async () => {
  const { path, change } = await aLog();
  change('DELETE FROM events WHERE position = 300');
  const missing = [{ at: 301, stream: 'firewall-b', isAltered: false, reason: 'follows position 299' }];
  expect(breaksIn(path)).toEqual(missing);
  const log = await createSqliteEventLog({ path, node: 'n1' });
  const end = { position: position(300), hash: null, time: null };
  const { data, type } = LossAccepted({ of: 'log', known: end, found: end, lost: null });
  await log.append(LOSSES_STREAM, NO_STREAM, [{ ...anEvent(), data, type }]);
  await log.close();
  expect(breaksIn(path)).toEqual([]);
});

test('names an altered event in one line with its position and stream, and again after a restart', async () => {
  const log = await aLog();
  log.change(`UPDATE events SET data = replace(data, '10.', '11.') WHERE position IN (300, 302)`);
  for (let start = 0; start < 2; start += 1) {
    const { verifier, faults, lines, mark } = verifierOf(log);
    await vi.waitUntil(() => faults.current.length > 0, soon);
    expect(faults.current).toEqual([
      expect.objectContaining({
        code: 'log_altered',
        subject: 'firewall-b',
        cause: expect.stringContaining('position 300'),
      }),
    ]);
    expect(lines).toEqual([
      expect.stringMatching(/log\.sqlite is broken at position 300: the event of firewall-b there is not/),
    ]);
    await vi.waitUntil(() => mark()?.position === 299, soon);
    await verifier.stop();
  }
});

test('ends the fault once the whole log is intact', async () => {
  const log = await aLog();
  log.change(`UPDATE events SET time = time + 1 WHERE position = 300`);
  let time = 1_000_000;
  const { faults, lines } = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => faults.current.length > 0, soon);
  log.change(`UPDATE events SET time = time - 1 WHERE position = 300`);
  time += 500_000;
  await vi.waitUntil(() => faults.current.length === 0, soon);
  expect(lines).toEqual([expect.stringContaining('position 300'), expect.stringMatching(/^Over after/)]);
});

test('continues after the last verified event, and begins again after a day', async () => {
  const log = await aLog();
  let time = 1_000_000;
  const first = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => first.mark()?.position === log.head, soon);
  await first.verifier.stop();
  log.change(`UPDATE events SET time = time + 1 WHERE position = 300`);
  const opened = await createSqliteEventLog({ path: log.path, node: 'n1' });
  await opened.append('firewall-c', NO_STREAM, [anEvent()]);
  const head = await opened.head();
  await opened.close();
  const second = verifierOf({ ...log, head }, { now: () => time });
  await vi.waitUntil(() => second.mark()?.position === head, soon);
  // It had verified position 300 before.
  expect(second.faults.current).toEqual([]);
  time += 500_000;
  await vi.waitUntil(() => second.faults.current.length > 0, soon);
});

test('begins again when the clock was set back by a day', async () => {
  const log = await aLog();
  let time = 1_000_000;
  const { faults, mark } = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => mark()?.position === log.head, soon);
  log.change(`UPDATE events SET time = time + 1 WHERE position = 300`);
  time -= 500_000;
  await vi.waitUntil(() => faults.current.length > 0, soon);
});

/** Without validation, which leaves out fields that the schema does not have. */
const AS_IT_IS = { isValidated: true };

/** A log of version-1 events with these fields besides `ip`. */
async function logWithFields(...surplus: object[]) {
  const log = await aLog();
  const opened = await createSqliteEventLog({ path: log.path, node: 'n1' });
  const events = surplus.map((fields) => anEvent({ data: { ip: '10.0.0.1', ...fields } } as never));
  await opened.append('firewall-c', NO_STREAM, events, AS_IT_IS);
  const head = await opened.head();
  await opened.close();
  return { ...log, head };
}

const shown = ({ current }: Faults) => current.map(({ code, subject }) => [code, subject]);

test('names each surplus field of an older event in one line', async () => {
  const log = await logWithFields({ note: 'office' }, { note: 'home', by: 'me' }, {}, { note: 'yard' });
  const { faults, lines, mark } = verifierOf(log);
  await vi.waitUntil(() => mark()?.position === log.head, soon);
  expect(shown(faults)).toEqual([
    ['surplus_fields', 'IpAllowed.note'],
    ['surplus_fields', 'IpAllowed.by'],
  ]);
  expect(lines).toEqual([
    expect.stringMatching(/^Events "IpAllowed" of version 1 have a field "note".*first at position 631\..*kept/),
    expect.stringMatching(/^Events "IpAllowed" of version 1 have a field "by".*first at position 632\..*kept/),
  ]);
});

test('names a surplus field once, also when the whole log is verified again or svc restarts', async () => {
  const log = await logWithFields({ note: 'office' });
  let time = 1_000_000;
  const first = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => first.mark()?.position === log.head, soon);
  time += 500_000;
  await vi.waitUntil(() => first.mark()?.wholeAt === time, soon);
  await first.verifier.stop();
  expect(first.lines).toHaveLength(1);
  time += 500_000;
  const second = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => second.mark()?.wholeAt === time, soon);
  await second.verifier.stop();
  expect([second.lines, second.faults.current]).toEqual([[], []]);

  // Another field in a later event is named, the known one is not.
  const opened = await createSqliteEventLog({ path: log.path, node: 'n1' });
  const later = anEvent({ data: { ip: '10.0.0.2', note: 'x', colour: 'y' } } as never);
  await opened.append('firewall-d', NO_STREAM, [later], AS_IT_IS);
  const head = await opened.head();
  await opened.close();
  const third = verifierOf({ ...log, head }, { now: () => time });
  await vi.waitUntil(() => third.mark()?.position === head, soon);
  expect(shown(third.faults)).toEqual([['surplus_fields', 'IpAllowed.colour']]);
});

test('looks for surplus fields in the whole log of an installation that was verified before it did so', async () => {
  const log = await logWithFields({ note: 'office' });
  let time = 1_000_000;
  const file = new MarkFile(log.markPath);
  file.noteNow({ position: log.head, wholeAt: time });
  file.close();
  time += 500_000;
  const { faults } = verifierOf(log, { now: () => time });
  await vi.waitUntil(() => faults.current.length === 1, soon);
});

test('names at most fifty surplus fields, and none of an event that was altered', async () => {
  const fields = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f${index}`, 1]));
  const log = await logWithFields({ altered: 1 }, fields);
  log.change(`UPDATE events SET time = time + 1 WHERE position = 631`);
  const { faults, mark } = verifierOf(log);
  await vi.waitUntil(() => mark() !== undefined && faults.current.length === 51, soon);
  expect(shown(faults).filter(([code]) => code === 'surplus_fields')).toHaveLength(50);
  expect(shown(faults)).not.toContainEqual(['surplus_fields', 'IpAllowed.altered']);
});

test('says that a log cannot be read, and goes on when it can be', async () => {
  const log = await aLog();
  const { lines, mark } = verifierOf({ ...log, path: `${log.path}.missing` });
  await vi.waitUntil(() => lines.length > 0, soon);
  expect(lines[0]).toMatch(/^Couldn't verify the log in the background: .*svc tries again\.$/);
  expect(mark()).toBeUndefined();
  rmSync(`${log.path}.missing`, { force: true });
});
