import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { acceptedLoss, readRows, removeWitnesses, writeRows } from '../../test/histories/forged/forgedFiles.ts';
import { aFolder, copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import {
  checkpointOf,
  logKey,
  originOf,
  otherKey,
  publish,
  vkeyOf,
} from '../../test/histories/forged/publishedCheckpoints.ts';
import { openNoteStore } from '../integrity/checkpoints/noteStore.ts';
import { signKeyChange } from '../integrity/keys/keyChange.ts';
import { parseCheckpoint } from '../integrity/notes/checkpoint.ts';
import { parseNote } from '../integrity/notes/signedNote.ts';
import { formatContinuation } from '../integrity/published/continuation.ts';
import { verifyFolder } from './verifyFolder.ts';
import { CannotVerify } from './verifyOptions.ts';

const threads = 1;

/** A log whose checkpoints are published; nothing else stands beside it. */
async function publishedLog() {
  const folder = await honestFolder(1);
  removeWitnesses(folder);
  const [rows, checkpoints] = [readRows(folder), await aFolder()];
  publish(rows, checkpoints, [50, 100, rows.length]);
  return { folder, rows, checkpoints, publicKey: vkeyOf(rows) };
}

const kindsOf = ({ findings }: Awaited<ReturnType<typeof verifyFolder>>) =>
  findings.map(({ kind, position }) => [kind, position]);

test('accepts the checkpoints of an intact log, and says who signed them and whether anyone vouched', async () => {
  const { folder, checkpoints, publicKey } = await publishedLog();
  const vouched = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(vouched).toMatchObject({ ok: true });
  expect(vouched.notes.join('\n')).toContain(`signed by ${publicKey.vkey}`);
  expect(vouched.notes.join('\n')).not.toContain('vouched');
  writeFileSync(join(folder, 'checkpoint.pub'), `${publicKey.vkey}\n`);
  const beside = (await verifyFolder({ folder, threads, checkpoints })).notes.join('\n');
  expect(beside).toContain(`signed by ${publicKey.vkey}. Nobody vouched for this key`);
});

test('names the events between the last checkpoint that matches and the first that does not', async () => {
  const { folder, rows, checkpoints, publicKey } = await publishedLog();
  const at = rows.findIndex(({ type }, index) => index > 60 && type === 'RequestCompleted');
  // Neighbours of two streams, without a trace in their chains.
  const other = rows.findIndex(({ stream }, index) => index > at && stream !== rows[at]?.stream);
  const swapped = [...rows];
  [swapped[other - 1], swapped[other]] = [rows[other] as never, rows[other - 1] as never];
  writeRows(
    folder,
    swapped.map((row, index) => ({ ...row, position: index + 1 })),
  );
  expect(kindsOf(await verifyFolder({ folder, threads }))).toEqual([]);
  const result = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(kindsOf(result)).toEqual([['rehashed', other < 50 ? 1 : other < 100 ? 51 : 101]]);
});

test('finds an older copy of the folder against published checkpoints', async () => {
  const { folder, rows, checkpoints } = await publishedLog();
  writeRows(folder, rows.slice(0, 120));
  expect(kindsOf(await verifyFolder({ folder, threads }))).toEqual([]);
  expect(kindsOf(await verifyFolder({ folder, threads, checkpoints }))).toEqual([['truncated', 121]]);
  writeRows(folder, []);
  expect(kindsOf(await verifyFolder({ folder, threads, checkpoints }))).toEqual([['truncated', 1]]);
});

test('finds a log that is not the one whose checkpoints were published', async () => {
  const { checkpoints, publicKey } = await publishedLog();
  const folder = await honestFolder(2);
  for (const options of [{ checkpoints }, { checkpoints, publicKey }]) {
    expect(kindsOf(await verifyFolder({ folder, threads, ...options }))).toEqual([['rehashed', 1]]);
  }
});

test('finds a checkpoint that another key has signed, unless the trusted one has named it', async () => {
  const { folder, rows, checkpoints, publicKey } = await publishedLog();
  writeFileSync(join(checkpoints, 'forged'), checkpointOf(rows, 70, { key: otherKey }));
  const forged = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(forged.findings).toMatchObject([{ kind: 'edited', position: 70, stream: join(checkpoints, 'forged') }]);
  writeFileSync(join(checkpoints, 'change'), signKeyChange(originOf(rows).origin, logKey, otherKey));
  expect(await verifyFolder({ folder, threads, checkpoints, publicKey })).toMatchObject({ ok: true });
  // Without a key, nobody can tell whose signature counts.
  const foreign = await aFolder();
  publish(rows, foreign, [50, rows.length], otherKey);
  const unvouched = await verifyFolder({ folder, threads, checkpoints: foreign });
  expect(unvouched).toMatchObject({ ok: true });
  expect(unvouched.notes.join('\n')).toContain(vkeyOf(rows, otherKey).id);
  expect(unvouched.notes.join('\n')).toContain('Nobody vouched');
});

test('compares what an earlier key has signed, when only the present key is given', async () => {
  const { folder, rows, checkpoints } = await publishedLog();
  const publicKey = vkeyOf(rows, otherKey);
  writeFileSync(join(checkpoints, 'change'), signKeyChange(originOf(rows).origin, logKey, otherKey));
  const alone = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(kindsOf(alone)).toEqual([50, 100, rows.length].map((size) => ['edited', size]));
  writeFileSync(join(checkpoints, 'next'), checkpointOf(rows, 110, { key: otherKey }));
  const { ok, notes } = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect([ok, notes.join('\n')]).toEqual([
    true,
    expect.stringContaining('3 checkpoints are signed with an earlier key'),
  ]);
  expect(notes.join('\n')).toContain(`with 110 events in ${join(checkpoints, 'next')}, signed by ${publicKey.vkey}`);
  // A log that was rewritten before the new key signed it.
  const rewritten = await copyOf(folder);
  const forged = rows.slice(0, 70);
  writeRows(rewritten, forged);
  writeFileSync(join(checkpoints, 'next'), checkpointOf(forged, 70, { key: otherKey }));
  expect(kindsOf(await verifyFolder({ folder: rewritten, threads, checkpoints, publicKey }))).toEqual([
    ['truncated', 71],
  ]);
});

test('finds a published note of which a bit was changed', async () => {
  const { folder, checkpoints, publicKey } = await publishedLog();
  const [path] = readdirSync(checkpoints, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.checkpoint'))
    .map((name) => join(checkpoints, name)) as [string];
  const honest = readFileSync(path);
  for (let bit = 0; bit < 8 * honest.length; bit += 97) {
    const changed = Buffer.from(honest);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, changed);
    const { ok } = await verifyFolder({ folder, threads, checkpoints, publicKey, to: 1 });
    expect(ok, `bit ${bit}`).toBe(false);
  }
});

test('finds two trees of one origin and size', async () => {
  const { folder, rows, checkpoints, publicKey } = await publishedLog();
  const other = rows.map((row, index) => (index === 30 ? { ...row, time: row.time + 1 } : row));
  writeFileSync(join(checkpoints, 'twin'), checkpointOf(other, 100));
  expect(kindsOf(await verifyFolder({ folder, threads, checkpoints, publicKey }))).toEqual([['forked', 100]]);
});

test('compares the checkpoints of the folder itself, and finds them changed', async () => {
  const { folder, rows } = await publishedLog();
  const store = openNoteStore(join(folder, 'checkpoints.sqlite'));
  for (const [at, size] of [50, 100].entries()) {
    const note = checkpointOf(rows, size);
    const { origin, root } = parseCheckpoint(parseNote(note).text);
    const publicKey = logKey.publicKey.toString('hex');
    store.append({
      seq: at + 1,
      kind: 'checkpoint',
      origin,
      size,
      root: root.toString('hex'),
      note,
      publicKey,
      signedAt: 1,
    });
  }
  store.close();
  const before = readdirSync(folder);
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true });
  expect(readdirSync(folder)).toEqual(before);
  const cut = await copyOf(folder);
  writeRows(cut, rows.slice(0, 70));
  expect(kindsOf(await verifyFolder({ folder: cut, threads }))).toEqual([['truncated', 71]]);
  const database = new DatabaseSync(join(folder, 'checkpoints.sqlite'));
  database.exec(`UPDATE notes SET note = replace(note, char(10) || '100' || char(10), char(10) || '101' || char(10))`);
  database.close();
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings).toMatchObject([{ kind: 'edited', stream: 'checkpoints.sqlite', position: 101 }]);
});

test('accepts both origins of a log that went on after an accepted loss, with the loss as a note', async () => {
  const { folder, rows, checkpoints, publicKey } = await publishedLog();
  const lost = rows.slice(0, 120);
  const goesOn = [...lost, acceptedLoss(lost, rows)];
  writeRows(folder, goesOn);
  const last = parseCheckpoint(parseNote(checkpointOf(rows, rows.length)).text);
  writeFileSync(
    join(checkpoints, 'next'),
    checkpointOf(goesOn, goesOn.length, { extensions: [formatContinuation(last)] }),
  );
  const result = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(result, JSON.stringify(result.findings)).toMatchObject({ ok: true });
  expect(result.notes.join('\n')).toContain('were accepted as lost');
  // The events that were left must be those of before.
  const edited = goesOn.map((row) => ({ ...row }));
  const stream = edited[119]?.stream as string;
  expect(edited.findLastIndex((row) => row.stream === stream)).toBe(119);
  writeRows(folder, [
    ...edited.slice(0, 118),
    { ...edited[119], position: 119 },
    { ...edited[118], position: 120 },
    edited[120],
  ] as never);
  const { ok } = await verifyFolder({ folder, threads, checkpoints, publicKey });
  expect(ok).toBe(false);
});

test('cannot verify against a folder without checkpoints, unless it is only configured', async () => {
  const { folder } = await publishedLog();
  for (const checkpoints of [await aFolder(), join(folder, 'missing')]) {
    await expect(verifyFolder({ folder, threads, checkpoints })).rejects.toThrow(CannotVerify);
    expect(await verifyFolder({ folder, threads, checkpoints, isOptional: true })).toMatchObject({ ok: true });
  }
});
