import { createHash } from 'node:crypto';
import { ANY, BACKWARDS, binaryEvent, END, type EventData, jsonEvent } from '@eventstore/db-client';
import type { SegmentStreams } from '../archive/segmentStreams.ts';
import { newEventId } from '../eventId.ts';
import { NO_STREAM } from '../eventLog.ts';
import { appendOnce } from './appendOnce.ts';
import type { Connection } from './client/connection.ts';
import { isDeletedStream } from './client/failures.ts';
import { PART, PARTS_END, type PartsEnd, readParts } from './client/readParts.ts';
import { readStreamOnce } from './client/reads.ts';

const DEADLINE_MS = 10_000;
const MAX_REPEATS = 5;

/** Creates the streams of sealed segments in EventStoreDB. */
export function createEventStoreSegments(connection: Connection): SegmentStreams {
  /** @returns the revision of the event */
  async function append(stream: string, expected: number, event: EventData): Promise<number> {
    for (let repeat = 0; ; repeat += 1) {
      const outcome = await appendOnce(connection, { stream, expected, events: [event], deadlineMs: DEADLINE_MS });
      if (outcome.kind === 'committed') return outcome.revision;
      if (outcome.kind === 'rejected') throw new Error(`EventStoreDB refuses ${stream}: ${outcome.reason}`);
      if (outcome.kind === 'conflict') throw new OtherWriter(stream, outcome.actualRevision);
      if (repeat === MAX_REPEATS) throw outcome.error;
    }
  }

  /** Appends the first event, after what an earlier attempt left. */
  async function begin(stream: string, event: EventData): Promise<number> {
    try {
      return await append(stream, NO_STREAM, event);
    } catch (error) {
      if (!(error instanceof OtherWriter)) throw error;
      await truncate(stream, error.revision);
      return append(stream, error.revision, event);
    }
  }

  async function truncate(stream: string, upTo: number): Promise<void> {
    await connection.write(async (client) => {
      const { metadata } = await client.getStreamMetadata(stream).catch((error: unknown) => {
        if (isDeletedStream(error)) return { metadata: undefined };
        throw error;
      });
      // Other keys, such as rights, are an operator's.
      const truncated = { ...metadata, truncateBefore: upTo + 1 };
      await client.setStreamMetadata(stream, truncated, { expectedRevision: ANY, deadline: DEADLINE_MS });
    }, 2 * DEADLINE_MS);
  }

  return {
    async write(stream, parts) {
      const digest = createHash('sha256');
      let count = 0;
      let revision = NO_STREAM;
      const add = async (event: EventData) => {
        revision = count === 0 ? await begin(stream, event) : await append(stream, revision, event);
        count += 1;
      };
      for await (const part of parts) {
        digest.update(part);
        await add(binaryEvent({ id: newEventId(), type: PART, data: part }));
      }
      const end: PartsEnd = { parts: count, sha256: digest.digest('hex') };
      await add(jsonEvent({ id: newEventId(), type: PARTS_END, data: { ...end } }));
    },
    read: (stream) => readParts(stream, (read) => connection.call(read, 2 * DEADLINE_MS)),
    truncate,
    async clear(stream) {
      const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
      const [last] = await connection.call((client) => readStreamOnce(client, stream, options), 2 * DEADLINE_MS);
      if (last) await truncate(stream, Number(last.revision));
    },
  };
}

/** The stream has events that this attempt did not write. */
class OtherWriter extends Error {
  override readonly name = 'OtherWriter';
  readonly revision: number;
  constructor(stream: string, revision: number) {
    super(`Another node writes to ${stream}.`);
    this.revision = revision;
  }
}
