import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readRows } from '../../test/histories/forged/forgedFiles.ts';
import { archivableLog } from '../../test/support/archives/archivableLog.ts';
import { makeBundleOf, readBundle, signedFolder } from '../../test/support/evidence/bundles.ts';
import { aKey, ORIGIN, signFolder, vkeyOf } from '../../test/support/evidence/signedFolder.ts';
import { parseVkey } from '../integrity/notes/noteKeys.ts';
import { verifyBundleFile } from './files/verifyBundleFile.ts';
import type { EventLine } from './format/eventLine.ts';
import { describeMade } from './make/describeMade.ts';
import type { EventSelection } from './make/selection.ts';

// Processes, browsers and threads wait for each other on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const linesOf = async (path: string): Promise<EventLine[]> =>
  ((await readBundle(path)).get('events/000001.jsonl') as string)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('proves every event of a log without its folder', async () => {
  const folder = await signedFolder();
  const { path, events } = await makeBundleOf(folder);
  rmSync(folder, { recursive: true });
  expect(await verifyBundleFile(path)).toMatchObject({
    ok: true,
    findings: [],
    notes: [],
    events,
    isContiguous: true,
    key: { vkey: vkeyOf(aKey(1)), isTrusted: false },
  });
});

test('leaves out what the history hides, and says of which events the data is proved', async () => {
  const { path, events } = await makeBundleOf(await signedFolder());
  const text = [...(await readBundle(path)).values()].join('\n');
  expect(text).not.toMatch(/sealed\.|"(?:passwordHash|secret|digest)":/);
  const lines = await linesOf(path);
  const requests = lines.filter(({ type }) => type === 'RequestCompleted');
  expect(requests[0]).toMatchObject({ dataproof: 'digest', datahidden: '/pin/digest', source: ORIGIN });
  const renamed = lines.find(({ type }) => type === 'ApiKeyRenamed');
  expect(renamed).toMatchObject({ dataproof: 'recomputable', dataorder: expect.any(String), specversion: '1.0' });
  const { recomputed } = await verifyBundleFile(path);
  expect(recomputed).toBe(lines.filter(({ dataproof }) => dataproof === 'recomputable').length);
  expect(lines).toHaveLength(events);
});

const selections: [name: string, select: (folder: string) => EventSelection][] = [
  ['a period', (folder) => ({ since: readRows(folder)[20]?.time, until: readRows(folder)[60]?.time })],
  ['a request', (folder) => ({ requests: [JSON.parse(readRows(folder).at(-40)?.data ?? '').requestId] })],
  ['an account', (folder) => ({ subjects: [streamsOf(folder).find((name) => name.startsWith('account-')) as string] })],
  ['a type and an actor', () => ({ types: ['ApiKeyRenamed'], actors: ['anonymous', 'operator', 'system', 'cli'] })],
];
const streamsOf = (folder: string) => readRows(folder).map(({ stream }) => stream);

test.each(selections)('proves the events of %s, and the leaves between them by hashes', async (_, select) => {
  const folder = await signedFolder();
  const selection = select(folder);
  const { path, events } = await makeBundleOf(folder, selection);
  const result = await verifyBundleFile(path);
  expect(result).toMatchObject({ ok: true, findings: [], events });
  expect(events).toBeGreaterThan(0);
  expect(events).toBeLessThan(readRows(folder).length);
  const proofs = (await readBundle(path)).get('proofs/000001.jsonl') as string;
  expect(proofs.split('\n').length).toBeGreaterThan(1);
});

test('proves a bundle of one event', async () => {
  const folder = await signedFolder();
  const request = readRows(folder).find(({ type }) => type === 'RequestCompleted');
  const { requestId } = JSON.parse(request?.data ?? '{}');
  const { path, events, firstPosition } = await makeBundleOf(folder, { requests: [requestId] });
  expect([events, firstPosition]).toEqual([1, request?.position]);
  expect(await verifyBundleFile(path)).toMatchObject({ ok: true, events: 1 });
});

test('has of an incident its period, and everything before it but requests', async () => {
  const folder = await signedFolder();
  const rows = readRows(folder);
  const since = rows[100]?.time ?? 0;
  const { path } = await makeBundleOf(folder, { since, isIncident: true });
  const positions = (await linesOf(path)).map(({ position }) => Number(position));
  const first = rows.findIndex(({ time }) => time >= since) + 1;
  const expected = rows.filter(({ position, stream }) => position >= first || !stream.startsWith('requests-'));
  expect(positions).toEqual(expected.map(({ position }) => position));
  expect(await verifyBundleFile(path)).toMatchObject({ ok: true, isContiguous: false });
});

test('refuses a selection of no event with a sentence', async () => {
  const folder = await signedFolder();
  const made = makeBundleOf(folder, { requests: ['req_unknown'] });
  await expect(made).rejects.toThrow('No event matches, so there is nothing to prove.');
});

test('refuses to write over a file', async () => {
  const folder = await signedFolder();
  const path = join(folder, 'there');
  writeFileSync(path, 'mine');
  const { makeEvidence } = await import('./make/makeEvidence.ts');
  const options = { folder, logName: 'log.sqlite', selection: {}, path, madeBy: 'svc', madeAt: '' };
  await expect(makeEvidence(options)).rejects.toThrow(`${path} already exists. Name another file.`);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('leaves out events that no checkpoint covers yet, and counts them', async () => {
  const folder = await signedFolder({ sizes: [10, 50] });
  const made = await makeBundleOf(folder);
  expect(made).toMatchObject({ events: 50, treeSize: 50, uncovered: readRows(folder).length - 50 });
  expect(await verifyBundleFile(made.path)).toMatchObject({ ok: true, events: 50 });
  const later = makeBundleOf(folder, { since: readRows(folder)[80]?.time });
  await expect(later).rejects.toThrow(/No checkpoint covers the \d+ events yet/);
});

test.each([0, 1, 100])('proves with %i leaves in tree.sqlite, and writes nothing into the folder', async (treeSize) => {
  const folder = await signedFolder({ treeSize });
  const stateOf = () =>
    readdirSync(folder).map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return [
        name,
        size,
        mtimeMs,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ];
    });
  const before = stateOf();
  const { path } = await makeBundleOf(folder, { types: ['ApiKeyRenamed'] });
  expect(stateOf()).toEqual(before);
  expect(await verifyBundleFile(path)).toMatchObject({ ok: true });
});

test('accepts a key that was given, and one that it has named', async () => {
  const { path } = await makeBundleOf(await signedFolder({ keys: [aKey(1), aKey(2)] }));
  for (const trusted of [undefined, parseVkey(vkeyOf(aKey(1))), parseVkey(vkeyOf(aKey(2)))]) {
    const { ok, findings, key } = await verifyBundleFile(path, { trusted });
    expect({ ok, findings }).toEqual({ ok: true, findings: [] });
    expect(key).toMatchObject({ vkey: vkeyOf(aKey(2)), isTrusted: trusted !== undefined });
  }
});

test('finds a bundle that another key has signed only with a key from elsewhere', async () => {
  const { path } = await makeBundleOf(await signedFolder({ keys: [aKey(9)] }));
  expect(await verifyBundleFile(path)).toMatchObject({ ok: true, key: { isTrusted: false } });
  const { ok, findings } = await verifyBundleFile(path, { trusted: parseVkey(vkeyOf(aKey(1))) });
  expect(ok).toBe(false);
  expect(findings[0]).toMatchObject({ kind: 'rehashed', found: expect.stringContaining(vkeyOf(aKey(9))) });
});

test('makes no bundle of a log that is not that of its checkpoints', async () => {
  const folder = await signedFolder();
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(folder, 'log.sqlite'));
  database.exec(`UPDATE events SET data = replace(data, 'key ', 'kex ') WHERE type = 'ApiKeyRenamed'`);
  database.close();
  await expect(makeBundleOf(folder)).rejects.toThrow('Run "svc verify"');
});

test.each([0, undefined])('proves the rest of a log with archived days, and names them', async (treeSize) => {
  const { path: folder, archive } = await archivableLog(300);
  await archive('2026-01-20');
  signFolder(folder, { sizes: [100, 250], ...(treeSize !== undefined && { treeSize }) });
  const made = await makeBundleOf(folder);
  expect(made.archived.length).toBeGreaterThan(0);
  expect(describeMade(made).join(' ')).toContain('put these days back with "svc restore-archive"');
  expect(await verifyBundleFile(made.path)).toMatchObject({ ok: true, events: made.events, isContiguous: false });
  const { day = '', file } = made.archived[0] ?? {};
  expect(file).toContain(day);
  const since = Date.parse(`${made.archived.at(-1)?.day}T23:59:59.999Z`) + 1;
  const later = await makeBundleOf(folder, { since }).catch(({ message }: Error) => message);
  expect(later).not.toMatchObject({ archived: [expect.anything()] });
});
