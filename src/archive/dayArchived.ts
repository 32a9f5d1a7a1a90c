import { DayArchived } from '../domain/archive/events.ts';
import { position } from '../domain/core/brands.ts';
import type { SegmentHeader } from '../eventLog/archive/segment.ts';

/** A segment that was sealed, and is not archived yet. */
export interface Sealed {
  readonly header: SegmentHeader;
  readonly seal: string;
}

/** The event that archives a sealed day. */
export const dayArchived = ({ header, seal }: Sealed) =>
  DayArchived({
    day: header.day,
    segment: header.number,
    events: header.events,
    first: position(header.first),
    last: position(header.last),
    upTo: position(header.upTo),
    root: header.root,
    file: header.file,
    seal,
  });
