import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ArchivedEvents } from './archivedEvents.ts';
import type { RequestIdRow } from './archivedRequestIds.ts';
import { type Segment, textOfHeader } from './segment.ts';

// A segment as bytes: frames of a kind (1 byte), a length (4 bytes, little-endian) and content, cut into parts of equal size.

/** Well below what every server takes in one append (docs/stores.md#eventstoredb-size-of-an-append). */
export const PART_BYTES = 262_144;

const FRAME_HEAD = 5;
/** A state of a million subjects has some 100 MB. */
const MAX_FRAME_BYTES = 1_073_741_824;

export const FRAME = { header: 1, edge: 2, state: 3, rollUps: 4, entries: 5, requestIds: 6 } as const;

/** Rows of the index of requests in a frame. */
const ROWS_PER_FRAME = 4_096;

export interface Frame {
  readonly kind: number;
  readonly content: Buffer;
}

/** The parts of a segment, in order. @throws ArchiveDamaged */
export function* segmentParts(archived: ArchivedEvents, segment: Segment): Generator<Buffer> {
  yield* inParts(framesOf(archived, segment));
}

function* framesOf(archived: ArchivedEvents, segment: Segment): Generator<Frame> {
  yield { kind: FRAME.header, content: Buffer.from(textOfHeader(segment.header)) };
  yield { kind: FRAME.edge, content: archived.edgeOf(segment) };
  yield { kind: FRAME.state, content: archived.stateOf(segment) };
  yield { kind: FRAME.rollUps, content: archived.rollUpsOf(segment) };
  for (const lines of archived.blocksOf(segment.number)) yield { kind: FRAME.entries, content: Buffer.from(lines) };
  const rows = archived.requestIdsOf(segment.number);
  if (rows) for (const some of inChunks(rows)) yield { kind: FRAME.requestIds, content: requestIdFrame(some) };
}

const requestIdFrame = (rows: readonly RequestIdRow[]): Buffer => zstdCompressSync(JSON.stringify(rows));

/** The rows of a frame of the index of requests. */
export const requestIdRowsOf = (content: Uint8Array): RequestIdRow[] =>
  JSON.parse(zstdDecompressSync(content).toString()) as RequestIdRow[];

/** At least one chunk. */
function* inChunks(rows: Iterable<RequestIdRow>): Generator<RequestIdRow[]> {
  let chunk: RequestIdRow[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_PER_FRAME) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

function* inParts(frames: Iterable<Frame>): Generator<Buffer> {
  let pending: Buffer[] = [];
  let bytes = 0;
  for (const { kind, content } of frames) {
    const head = Buffer.alloc(FRAME_HEAD);
    head.writeUInt8(kind);
    head.writeUInt32LE(content.length, 1);
    for (const chunk of [head, content]) {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + PART_BYTES - bytes);
        pending.push(piece);
        bytes += piece.length;
        at += piece.length;
        if (bytes < PART_BYTES) continue;
        yield Buffer.concat(pending);
        [pending, bytes] = [[], 0];
      }
    }
  }
  if (bytes > 0) yield Buffer.concat(pending);
}

/** Puts the frames of parts together again. @throws Error for bytes that are no frames */
export async function* framesIn(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let due = FRAME_HEAD;
  for await (const part of parts) {
    chunks.push(part);
    bytes += part.length;
    if (bytes < due) continue;
    let joined = Buffer.concat(chunks);
    for (due = FRAME_HEAD; joined.length >= due; due = FRAME_HEAD) {
      const length = joined.readUInt32LE(1);
      if (length > MAX_FRAME_BYTES) throw new Error('has a frame that is too long');
      due = FRAME_HEAD + length;
      if (joined.length < due) break;
      yield { kind: joined.readUInt8(), content: joined.subarray(FRAME_HEAD, due) };
      joined = joined.subarray(due);
    }
    [chunks, bytes] = [[joined], joined.length];
  }
  if (bytes > 0) throw new Error('ends within a frame');
}
