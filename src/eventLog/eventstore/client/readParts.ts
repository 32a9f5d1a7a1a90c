import { createHash } from 'node:crypto';
import { FORWARDS, type JSONRecordedEvent, START } from '@eventstore/db-client';
import { SegmentUnreadable } from '../../archive/segmentStreams.ts';
import type { EventStoreClient } from './client.ts';
import { readStreamOnce } from './reads.ts';

/** Types of the events of such a stream. */
export const PART = 'SegmentPart';
export const PARTS_END = 'SegmentEnd';
/** Some 2 MB at a time. */
const PARTS_PER_READ = 8;

/** The last event. */
export interface PartsEnd {
  readonly parts: number;
  readonly sha256: string;
}

/** The parts of a stream, through a client. @throws SegmentUnreadable after the last part, unless all are what was written */
export async function* readParts(
  stream: string,
  call: <Result>(read: (client: EventStoreClient) => Promise<Result>) => Promise<Result>,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let from: bigint | typeof START = START;
  let count = 0;
  for (;;) {
    const options = { direction: FORWARDS, fromRevision: from, maxCount: PARTS_PER_READ } as const;
    const events: JSONRecordedEvent[] = await call((client) => readStreamOnce(client, stream, options));
    for (const { type, data } of events) {
      if (type === PARTS_END) {
        const { parts, sha256 } = data as unknown as PartsEnd;
        if (parts === count && sha256 === digest.digest('hex')) return;
        throw new SegmentUnreadable(stream, 'has parts that are not those that were written');
      }
      const part = data as unknown as Uint8Array;
      digest.update(part);
      count += 1;
      yield part;
    }
    const last = events.at(-1);
    if (!last) throw new SegmentUnreadable(stream, count === 0 ? 'is missing' : 'is incomplete');
    from = last.revision + 1n;
  }
}
