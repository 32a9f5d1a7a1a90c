import { expect, test } from 'vitest';
import {
  centralRecord,
  endRecords,
  readCentralDirectory,
  readEnd,
  ZIP64_END_BYTES,
  ZIP64_LOCATOR_BYTES,
} from './zipFormat.ts';

const entry = { name: 'events/000001.jsonl', crc32: 0xdeadbeef, compressedSize: 12, size: 34, offset: 56 };

test.each([0, 56, 0xfffffffe, 0xffffffff, 2 ** 32 + 7, 2 ** 45])('reads a record of an entry at byte %i', (offset) =>
  expect(readCentralDirectory(centralRecord({ ...entry, offset }), 1)).toEqual([{ ...entry, offset }]),
);

test.each([
  { entries: 1, directoryOffset: 100, directoryBytes: 65 },
  { entries: 0xfffe, directoryOffset: 0xfffffffe, directoryBytes: 65 },
  { entries: 0xffff, directoryOffset: 100, directoryBytes: 65 },
  { entries: 70_000, directoryOffset: 2 ** 33, directoryBytes: 5_000_000 },
])('reads the end of a file with $entries entries', (end) => {
  const before = new Uint8Array(ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES).fill(7);
  const records = endRecords(end, 84);
  expect(readEnd(new Uint8Array([...before, ...records]))).toEqual(end);
});

test('refuses a directory that is cut or has something behind its last record', () => {
  const record = centralRecord(entry);
  expect(readCentralDirectory(record.subarray(0, -1), 1)).toBeUndefined();
  expect(readCentralDirectory(new Uint8Array([...record, 0]), 1)).toBeUndefined();
  expect(readCentralDirectory(record, 2)).toBeUndefined();
});
