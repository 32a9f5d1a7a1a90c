import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import {
  isNamed,
  leafEntryOf,
  MAX_LEAF_BYTES,
  parseAnyLeafEntry,
  parseLeafEntry,
  readUsualLeafEntry,
  type StoredRow,
} from './leafEntry.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const row: StoredRow = {
  position: 7,
  stream: 'requests-node-2026-11-23',
  revision: 3,
  id: '018f4e3c-0000-7000-8000-000000000001',
  type: 'RequestCompleted',
  version: 2,
  time: 1_795_000_000_000,
  data: '{"requestId":"req_1"}',
  metadata: '{"schemaVersion":2,"actor":{"kind":"apiKey","keyId":"k"},"correlationId":"req_1","node":"n"}',
};
const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000, size: 'max' }),
  fc.constantFrom('"'.repeat(2_000), '\u0001'.repeat(500), '\u{10ffff}'.repeat(500), 'a'.repeat(638), 'a'.repeat(639)),
);
const integers = fc.maxSafeNat();
const rows = fc.record({
  position: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  stream: names,
  revision: integers,
  id: names,
  type: names,
  version: integers,
  time: fc.maxSafeInteger(),
  data: names,
  metadata: fc.oneof(
    names,
    names.map((correlationId) => JSON.stringify({ actor: {}, correlationId })),
  ),
});

describe('a leaf entry', () => {
  test('is one line of canonical JSON with the digests of data and metadata as stored', () => {
    expect(leafEntryOf(row)).toBe(
      `{"correlationId":"req_1","dataSha256":"${sha256(row.data)}","id":"${row.id}","metadataSha256":"${sha256(row.metadata)}",` +
        '"position":7,"revision":3,"stream":"requests-node-2026-11-23","time":1795000000000,"type":"RequestCompleted","version":2}',
    );
  });

  test('is read without parsing as parsing reads it, also where bytes of it were changed', () => {
    const usual = fc.record({
      position: fc.integer({ min: 1 }),
      revision: fc.nat(),
      id: fc.uuid(),
      correlationId: fc.oneof(fc.uuid(), fc.constantFrom('', 'a'.repeat(200), 'a'.repeat(201))),
    });
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(20),
      piece: fc.oneof(
        fc.string({ maxLength: 2 }),
        fc.constantFrom('0', '00', 'null', '"', '9'.repeat(17), 'a'.repeat(201), '\n'),
      ),
    });
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(usual, fc.option(change), ({ correlationId, ...some }, changed) => {
        let line = leafEntryOf({ ...row, ...some, metadata: JSON.stringify({ actor: {}, correlationId }) });
        if (changed) {
          const at = Math.floor(changed.at * (line.length + 1));
          line = line.slice(0, at) + changed.piece + line.slice(at + changed.length);
        }
        const entry = readUsualLeafEntry(line);
        if (entry) {
          read += 1;
          expect(entry).toEqual(parseAnyLeafEntry(line));
        } else refused += 1;
      }),
      runs(2_000),
    );
    expect(Math.min(read, refused)).toBeGreaterThan(100);
  });

  test('stays below 4 kB and on one line, however long and strange the names are', () => {
    fc.assert(
      fc.property(rows, (some) => {
        const line = leafEntryOf(some);
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LEAF_BYTES);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be in a line.
        expect(line).not.toMatch(/[\u0000-\u001f]/);
        const entry = parseLeafEntry(line);
        expect(entry.position).toBe(some.position);
        for (const key of ['stream', 'id', 'type'] as const) expect(isNamed(entry[key], some[key])).toBe(true);
      }),
      runs(200),
    );
  });

  test('names a long stream by its size and digest', () => {
    const stream = '\u00fc'.repeat(500);
    const entry = parseLeafEntry(leafEntryOf({ ...row, stream }));
    expect(entry.stream).toEqual({ bytes: 1_000, sha256: sha256(stream) });
    expect(isNamed(entry.stream, stream)).toBe(true);
    expect(isNamed(entry.stream, `${stream}x`)).toBe(false);
    expect(parseLeafEntry(leafEntryOf({ ...row, stream: 'a'.repeat(500) })).stream).toBe('a'.repeat(500));
  });

  test('differs when any field of the event differs, also in the spelling of its JSON', () => {
    const line = leafEntryOf(row);
    for (const changed of [
      { position: 8 },
      { stream: 'x' },
      { revision: 4 },
      { id: 'x' },
      { type: 'x' },
      { version: 3 },
      { time: 0 },
      { data: '{"requestId": "req_1"}' },
      { metadata: row.metadata.replace('"n"', '"m"') },
    ]) {
      expect(leafEntryOf({ ...row, ...changed })).not.toBe(line);
    }
  });

  test('has no correlation id when the metadata has none that is text', () => {
    for (const metadata of ['', 'null', '[]', '{}', '{"correlationId":1}', '{"actor":{"correlationId":"x"}}', '{']) {
      expect(parseLeafEntry(leafEntryOf({ ...row, metadata })).correlationId).toBeNull();
    }
  });

  test('has the correlation id that JSON.parse finds, in every spelling of metadata', () => {
    const value = fc.oneof(
      fc.constantFrom('', '},"correlationId":"x', '"', '{', '\\', 'req_1', '"correlationId"', '\u00fc'),
      fc.string({ maxLength: 8 }),
    );
    const metadata = fc
      .tuple(
        value,
        value,
        value,
        fc.constantFrom(
          '',
          ',"correlationId":"again"',
          ',"correlation\\u0049d":"again"',
          ',"a":{"correlationId":"in"}',
        ),
      )
      .map(
        ([agent, id, node, more]) =>
          `{"schemaVersion":2,"metadataVersion":2,"actor":{"kind":"operator","userAgent":${JSON.stringify(agent)}},` +
          `"correlationId":${JSON.stringify(id)},"node":${JSON.stringify(node)}${more}}`,
      );
    fc.assert(
      fc.property(metadata, (text) => {
        const entry = parseLeafEntry(leafEntryOf({ ...row, metadata: text }));
        expect(entry.correlationId).toBe(JSON.parse(text).correlationId);
      }),
      runs(500),
    );
    const nested = '{"schemaVersion":2,"metadataVersion":2,"actor":{"kind":"x","correlationId":"in"},"node":"n"}';
    expect(parseLeafEntry(leafEntryOf({ ...row, metadata: nested })).correlationId).toBeNull();
  });

  test.each([
    ['x', 'not JSON'],
    ['[]', 'not an object'],
    [leafEntryOf(row).replace('"position":7', '"position":0'), 'position is not above 0'],
    [leafEntryOf(row).replace('"position":7', '"position":7.5'), 'position is not a whole number'],
    [leafEntryOf(row).replace('"position":7', '"position":7 '), 'not written in canonical form'],
    [leafEntryOf(row).replace('"position":7', '"position":7e0'), 'not written in canonical form'],
    [leafEntryOf(row).replace('"version":2', '"version":2,"more":1'), 'with the keys'],
    [leafEntryOf(row).replace(/"dataSha256":"./, '"dataSha256":"X'), 'dataSha256 is not a SHA-256'],
    [leafEntryOf(row).replace('"stream":"req', '"stream":"\\u0072eq'), 'not written in canonical form'],
    [leafEntryOf(row).replace('"RequestCompleted"', 'null'), 'type is not a name'],
    [leafEntryOf(row).replace('"RequestCompleted"', `"${'a'.repeat(700)}"`), 'type is too long'],
    [leafEntryOf(row).replace('"RequestCompleted"', `{"bytes":3,"sha256":"${sha256('abc')}"}`), 'type is not a name'],
  ])('is refused when it reads %s', (line, reason) => {
    expect(() => parseLeafEntry(line)).toThrow(reason);
  });
});
