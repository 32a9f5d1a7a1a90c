import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { positionSchema } from '../core/schemas.ts';

/** What an archive of a day is called and how it is distinguished from another file. */
const archiveFile = schema((z) =>
  z.object({
    name: z.string(),
    bytes: z.int().min(0),
    /** Of the whole file, 64 hex digits. */
    sha256: z.string(),
  }),
);

/** A UTC day, for example `2026-11-01`. */
const utcDay = schema((z) => z.string().regex(/^\d{4}-\d\d-\d\d$/));

/**
 * The requests of a day were written to a file, and their rows are removed from the log. Their leaf entries stay in
 * `archive.sqlite` (docs/decisions/0072-sealed-segments.md).
 */
export const DayArchived = event('DayArchived', {
  version: 1,
  data: (z) =>
    z.object({
      day: utcDay(z),
      /** Number of the segment, 1 for the first one of a log. A day that is archived again has several. */
      segment: z.int().min(1),
      /** Number of events in the file. */
      events: z.int().min(1),
      /** Positions of the first and the last of them. */
      first: positionSchema(z),
      last: positionSchema(z),
      /** A fold of the log begins behind this position, with the state that the segment has. */
      upTo: positionSchema(z),
      /** Root of the Merkle tree over all events up to `upTo`, 64 hex digits. */
      root: z.string(),
      file: archiveFile(z),
      /** SHA-256 of the segment's header, which names the digests of its parts, 64 hex digits. */
      seal: z.string(),
    }),
  describe: ({ day, events, file }) =>
    `${events} ${events === 1 ? 'event' : 'events'} of requests of ${day} were archived in ${file.name}`,
});

/** The events of an archived day were put back into the log from its file. */
export const ArchiveRestored = event('ArchiveRestored', {
  version: 1,
  data: (z) =>
    z.object({
      day: utcDay(z),
      segment: z.int().min(1),
      events: z.int().min(1),
      file: archiveFile(z),
    }),
  describe: ({ day, events, file }) =>
    `${events} ${events === 1 ? 'event' : 'events'} of requests of ${day} were restored from ${file.name}`,
});

export type ArchiveEvent = EventOf<typeof DayArchived | typeof ArchiveRestored>;

/** The stream of both. */
export const ARCHIVE_STREAM = 'archives-main';
