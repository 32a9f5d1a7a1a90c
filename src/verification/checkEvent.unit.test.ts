import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completedRequest } from '../../bench/startup/completedRequests.ts';
import { anyObject } from '../../test/support/jsonOfShape.ts';
import { runs } from '../../test/support/runs.ts';
import { completedRequestVersions, RequestCompleted, RequestRefused } from '../domain/request/events.ts';
import { chainEvent, HASH_LENGTH, hashOf, hashOfStored, NO_HASH } from '../eventLog/hashChain.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { chainOf, parseJson } from '../eventLog/storedChain.ts';
import { jsonShapeOf } from '../eventLog/storedJson/jsonShape.ts';
import { leafEntryOf } from '../integrity/leaf/leafEntry.ts';
import { isCanonical } from './canonicalText.ts';
import { checkEvent, EventScratch } from './checkEvent.ts';
import { readCompleted, requestFacts } from './requestFacts.ts';

const VERSION = Math.max(...Object.keys(completedRequestVersions).map(Number));
const shape = jsonShapeOf(completedRequestVersions[VERSION as keyof typeof completedRequestVersions]);

/** As the proxy writes it: this is what the short cuts are for. */
const usualData = fc.nat(100_000).map((number) => completedRequest(number).data as Record<string, unknown>);

/** The rule without any of the short cuts: everything is parsed and written again. */
function slowKind([, stream, revision, id, type, version, time, data, metadata]: EventTuple): string | undefined {
  const { hash } = chainOf(metadata);
  const isAsHashed =
    hashOfStored({ stream, revision, id, type, time, data }, metadata) === hash &&
    metadata.startsWith(`{"schemaVersion":${version},`);
  if (isAsHashed) return isCanonical(data) && isCanonical(metadata) ? undefined : 'bytes not canonical';
  if (hash === undefined) return 'inserted';
  const [content, parsed] = [parseJson(data), parseJson(metadata)];
  if (content === undefined || typeof parsed !== 'object' || parsed === null) return 'edited';
  const event = { stream, revision, id, type, time, data: content, metadata: { ...parsed, schemaVersion: version } };
  return hashOf(event as never) === hash ? 'bytes not canonical' : 'edited';
}

const PIECES = ['', ' ', '"', '\\', '\\u0061', '0', '1.0', 'é', '🙂', '\u0000', '{}', '"a":1,', ',"correlationId":"x"'];

interface Change {
  readonly column: 'stream' | 'id' | 'type' | 'data' | 'metadata';
  /** Where, as a part of the length. */
  readonly at: number;
  readonly length: number;
  readonly piece: string;
  /** Whether the forger also computes the hash over the changed text. */
  readonly isRehashed: boolean;
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  column: fc.constantFrom('stream', 'id', 'type', 'data', 'data', 'data', 'metadata', 'metadata', 'metadata'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(3),
  piece: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })),
  isRehashed: fc.boolean(),
});

function changed(row: Record<string, string | number>, { column, at, length, piece, isRehashed }: Change): void {
  const text = row[column] as string;
  const index = Math.floor(at * text.length);
  row[column] = text.slice(0, index) + piece + text.slice(index + length);
  if (!isRehashed) return;
  const open = (row.metadata as string).slice(0, -HASH_LENGTH);
  row.metadata = `${open},"hash":"${hashOfStored(row as never, row.metadata as string)}"}`;
}

const tupleOf = (row: Record<string, string | number>): EventTuple =>
  [
    row.position,
    row.stream,
    row.revision,
    row.id,
    row.type,
    row.version,
    row.time,
    row.data,
    row.metadata,
  ] as unknown as EventTuple;

test('finds in changed events what parsing them finds, and makes the same leaf entry', () => {
  // One for all, so that texts of earlier events are in it.
  const scratch = new EventScratch();
  const kinds = new Map<string | undefined, number>();
  let readFast = 0;
  const anyRow = fc.record({
    data: fc.oneof(anyObject(shape), usualData),
    type: fc.constantFrom(RequestCompleted.type, RequestCompleted.type, RequestRefused.type),
    id: fc.uuid(),
    correlationId: fc.oneof(fc.uuid(), fc.string({ maxLength: 5 })),
    keyId: fc.constantFrom('k1', 'k2', 'Zoë'),
    revision: fc.nat(100_000),
    time: fc.integer({ min: 0, max: 2 ** 41 }),
    isOwnId: fc.boolean(),
  });
  fc.assert(
    fc.property(anyRow, fc.array(anyChange, { maxLength: 2 }), (random, changes) => {
      const { data, type, id, revision, time } = random;
      const unchained = {
        schemaVersion: VERSION,
        metadataVersion: 2,
        actor: { kind: 'apiKey', keyId: random.keyId },
        correlationId: random.isOwnId ? data.requestId : random.correlationId,
        node: 'n1',
      };
      const event = { id, type, time, data: JSON.stringify(data), metadata: JSON.stringify(unchained) };
      const { metadata } = chainEvent(event, 'requests-n1.b1_20260101', revision, NO_HASH);
      const row = {
        ...event,
        metadata,
        position: revision + 1,
        stream: 'requests-n1.b1_20260101',
        revision,
        version: VERSION,
      };
      for (const change of changes) changed(row, change);
      const tuple = tupleOf(row);
      const { finding, leaf, request } = checkEvent(tuple, chainOf(row.metadata), scratch);
      expect(finding?.kind).toBe(slowKind(tuple));
      expect(leaf).toBe(leafEntryOf(row));
      const isOfRequests = row.stream.startsWith('requests-');
      const { endedId, keyId, accountId } = requestFacts(row.type, parseJson(row.data));
      if (isOfRequests) expect(request).toMatchObject({ endedId, keyId, accountId });
      if (readCompleted(row.type, VERSION, row.data)) readFast += 1;
      kinds.set(finding?.kind, (kinds.get(finding?.kind) ?? 0) + 1);
    }),
    runs(3_000),
  );
  expect(readFast).toBeGreaterThan(200);
  // Each outcome was met, so that the comparison says something.
  for (const kind of [undefined, 'edited', 'bytes not canonical']) expect(kinds.get(kind)).toBeGreaterThan(20);
});
