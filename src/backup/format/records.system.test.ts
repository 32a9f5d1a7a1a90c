import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { CHUNK_BYTES, TAG_BYTES } from './chunkSeal.ts';
import type { BackupRecord, Manifest } from './manifest.ts';
import { openBackup } from './readRecords.ts';
import { writeRecords } from './writeRecords.ts';

vi.setConfig({ testTimeout: 180_000 });
const folder = mkdtempSync(join(tmpdir(), 'svc-records-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PASSPHRASE = 'correct horse battery staple';
const manifest: Manifest = {
  id: '0123456789abcdef0123456789abcdef',
  madeAt: '2026-01-02T03:04:05.678Z',
  svc: '0.1.0',
  store: 'embedded',
  node: 'n1',
  upTo: { position: 3, id: 'x', time: 1 },
  since: null,
  archived: [],
};

/** Random text does not become smaller, so the file has several chunks. */
function someRecords(): BackupRecord[] {
  const random = createRandom(1);
  const text = () => Array.from({ length: 6_000 }, () => random.between(0, 36).toString(36)[0]).join('');
  const rows = Array.from({ length: 60 }, (_, index): BackupRecord => [index, text(), null, { base64: 'AAEC' }]);
  return [{ manifest }, { table: 'events', of: 'log.sqlite', columns: ['a', 'b', 'c', 'd'] }, ...rows];
}

let files = 0;
function newPath(): string {
  files += 1;
  return join(folder, `${files}.backup`);
}

async function write(records: readonly BackupRecord[], passphrase?: string): Promise<string> {
  const path = newPath();
  const file = await open(path, 'wx', 0o600);
  try {
    await writeRecords(file, records, passphrase);
  } finally {
    await file.close();
  }
  return path;
}

async function read(path: string, passphrase?: string): Promise<BackupRecord[]> {
  const opened = await openBackup(path, passphrase);
  return [{ manifest: opened.manifest }, ...(await Array.fromAsync(opened.records()))];
}

const copyWith = (path: string, change: (bytes: Buffer) => Buffer): string => {
  const copy = newPath();
  writeFileSync(copy, change(Buffer.from(readFileSync(path))));
  return copy;
};

describe.each([['in plain', undefined] as const, ['encrypted', PASSPHRASE] as const])(
  'a backup %s',
  (_, passphrase) => {
    test('gives back every record, over several chunks', async () => {
      const path = await write(someRecords(), passphrase);
      expect(readFileSync(path).length).toBeGreaterThan(2 * CHUNK_BYTES);
      expect(await read(path, passphrase)).toEqual(someRecords());
    });

    test('is refused by name with any byte flipped, cut anywhere, and with chunks moved, repeated or left out', async () => {
      const path = await write(someRecords(), passphrase);
      const whole = readFileSync(path);
      const begin = whole.indexOf(0x0a) + 1;
      const chunk = (number: number) => {
        const at = begin + number * (CHUNK_BYTES + TAG_BYTES);
        return whole.subarray(at, at + CHUNK_BYTES + TAG_BYTES);
      };
      const places = [0, begin - 2, begin, begin + 100, begin + CHUNK_BYTES + 3, whole.length - 1, whole.length - 20];
      const flipped = places.map((at) => (bytes: Buffer) => {
        bytes[at] = (bytes[at] as number) ^ 1;
        return bytes;
      });
      const cuts = [0, begin - 1, begin, begin + CHUNK_BYTES + TAG_BYTES, whole.length - 1];
      const changes: ((bytes: Buffer) => Buffer)[] = [
        ...flipped,
        ...cuts.map((end) => (bytes: Buffer) => bytes.subarray(0, end)),
        (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
        (bytes) =>
          Buffer.concat([bytes.subarray(0, begin), chunk(1), chunk(0), bytes.subarray(begin + chunk(0).length * 2)]),
        (bytes) => Buffer.concat([bytes.subarray(0, begin), chunk(0), bytes.subarray(begin)]),
        (bytes) => Buffer.concat([bytes.subarray(0, begin), bytes.subarray(begin + chunk(0).length)]),
      ];
      // Each opening of an encrypted file derives its key, which takes some 0.3 s of a core.
      for (const [index, change] of changes.entries()) {
        const copy = copyWith(path, change);
        await expect(read(copy, passphrase), `change ${index}`).rejects.toThrow(copy);
      }
    });
  },
);

test('a backup is not opened with another passphrase, without one, or with one that it does not have', async () => {
  const [plain, encrypted] = [await write(someRecords()), await write(someRecords(), PASSPHRASE)];
  await expect(read(encrypted, 'another passphrase')).rejects.toThrow('or the passphrase is another one');
  await expect(read(encrypted)).rejects.toThrow('is encrypted. Name the file of its passphrase');
  await expect(read(plain, PASSPHRASE)).rejects.toThrow('is not encrypted, although a passphrase was given');
});

test('an encrypted backup shows nothing of its content, and no two are the same', async () => {
  const [one, two] = [await write(someRecords(), PASSPHRASE), await write(someRecords(), PASSPHRASE)];
  const [first, second] = [readFileSync(one), readFileSync(two)];
  expect(first.includes('manifest')).toBe(false);
  expect(first.subarray(-1_000).equals(second.subarray(-1_000))).toBe(false);
});

test('other files, and those of a newer svc, are refused', async () => {
  for (const [text, reason] of [
    ['', 'is not a backup of svc'],
    ['{"svcHistory":1,"events":3}\n', 'is not a backup of svc'],
    ['{"svcBackup":2}\n', 'was made by a newer svc'],
  ] as const) {
    const path = newPath();
    writeFileSync(path, text);
    await expect(openBackup(path, undefined)).rejects.toThrow(`${path} ${reason}`);
  }
  await expect(openBackup(join(folder, 'none'), undefined)).rejects.toThrow('cannot be read');
});
