import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { ArchivedEvents } from './archivedEvents.ts';
import { ArchiveWriter } from './archiveWriter.ts';
import { type SegmentHeader, sealOf } from './segment.ts';
import { SegmentImport } from './segmentImport.ts';
import { type Frame, framesIn, PART_BYTES, segmentParts } from './segmentParts.ts';

const POSITIONS = Array.from({ length: 3_000 }, (_, index) => 5 + index + Math.floor(index / 700));
const entryAt = (position: number): string =>
  `{"correlationId":"req_${position}","dataSha256":"${sealOf(`${position}`)}","id":"id-${position}","metadataSha256":"${sealOf(`m${position}`)}","position":${position},"revision":${position},"stream":"requests-n.b_20260101","time":1,"type":"RequestCompleted","version":1}`;

async function archivePath(): Promise<string> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return join(folder.path, 'archive.sqlite');
}

/** A sealed segment whose state takes several parts. */
async function sealed() {
  const path = await archivePath();
  const writer = new ArchiveWriter(path);
  const draft = writer.begin(1);
  for (const position of POSITIONS) draft.add(position, entryAt(position), position % 3 === 0 ? 'key-1' : null);
  const entriesSha256 = draft.finishEntries();
  const [state, rollUps, edge] = [Buffer.alloc(600_000, 'state'), Buffer.from('sums'), Buffer.from('edge')];
  const last = POSITIONS.at(-1) as number;
  const header: SegmentHeader = {
    ...{ v: 1, number: 1, day: '2026-01-01', events: POSITIONS.length, types: {}, first: 5, last, upTo: last },
    ...{ root: '00', streams: [['requests-n.b_20260101', POSITIONS.length, last, null]], entriesSha256 },
    file: { name: 'f', bytes: 1, sha256: '00' },
    ...{ foldVersion: 1, stateSha256: sealOf(state), rollUpsVersion: 1, rollUpsSha256: sealOf(rollUps) },
  };
  const seal = draft.seal({ header, edge, state, rollUps });
  writer.setStatus(1, 'archived');
  writer.close();
  const archived = ArchivedEvents.open(path) as ArchivedEvents;
  onTestFinished(() => archived.close());
  const [segment] = archived.segments();
  return { archived, seal, parts: [...segmentParts(archived, segment as NonNullable<typeof segment>)] };
}

async function* each<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

async function importInto(path: string, seal: string, frames: AsyncIterable<Frame>): Promise<void> {
  const draft = new SegmentImport(path, 1, seal);
  try {
    for await (const frame of frames) draft.add(frame);
    draft.finish('archived');
  } finally {
    draft.close();
  }
}

test('a segment has the same entries, ranges, parts and index of requests on another node', async () => {
  const { archived, seal, parts } = await sealed();
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part.length).toBeLessThanOrEqual(PART_BYTES);
  const path = await archivePath();
  // Whatever sizes the parts have.
  const bytes = Buffer.concat(parts);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7_001) }, (_, at) =>
    bytes.subarray(at * 7_001, (at + 1) * 7_001),
  );
  await importInto(path, seal, framesIn(each(pieces)));
  const copy = ArchivedEvents.open(path) as ArchivedEvents;
  onTestFinished(() => copy.close());
  const [own, other] = [archived.segments(), copy.segments()];
  expect(other).toEqual(own);
  expect([...copy.entriesOf(1)]).toEqual([...archived.entriesOf(1)]);
  expect([...copy.rangesOf(1)]).toEqual([...archived.rangesOf(1)]);
  expect([...copy.rangesOf(1, 710)]).toEqual([...archived.rangesOf(1)].filter(({ last }) => last > 710));
  expect(copy.findRequest('req_9')).toEqual(archived.findRequest('req_9'));
  expect(copy.findRequest('req_9')).toMatchObject({ position: 9, keyId: 'key-1' });
  expect(copy.headOf('requests-n.b_20260101')).toEqual(archived.headOf('requests-n.b_20260101'));
  expect([...segmentParts(copy, other[0] as NonNullable<(typeof other)[0]>)]).toEqual(parts);
});

test('imports no segment of which a bit was changed or a part is missing', async () => {
  const { seal, parts } = await sealed();
  const bytes = Buffer.concat(parts);
  const path = await archivePath();
  // The incomplete tiles are proved by the root that they lead to.
  for (const at of [7, 300, 700_000, bytes.length - 40_000]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    await expect(importInto(path, seal, framesIn(each([changed])))).rejects.toThrow();
  }
  await expect(importInto(path, seal, framesIn(each(parts.slice(0, -1))))).rejects.toThrow();
  await expect(importInto(path, '00'.repeat(32), framesIn(each(parts)))).rejects.toThrow('not the sealed one');
  expect(ArchivedEvents.open(path)?.segments()).toEqual([]);
  await importInto(path, seal, framesIn(each(parts)));
});
