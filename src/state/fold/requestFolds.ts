import type { EventOf, Recorded } from '../../domain/core/event.ts';
import type { RequestAdmitted } from '../../domain/request/events.ts';
import type { FoldedRequest } from './foldedEvent.ts';

/** An open request as it was last announced. */
export type OpenRequest = Recorded<EventOf<typeof RequestAdmitted>> & {
  /** How often it was announced, if more than once: again when it reserves more. */
  readonly announcements?: number;
};

/** The parts of the hot state that are about open requests. */
export interface RequestFolds {
  /** Requests that were announced by `RequestAdmitted` and have not completed. */
  readonly openRequests: Map<string, OpenRequest>;
  /** How many announcements of requests that have completed the log still lacks: they arrive late, or were lost. */
  readonly lateAnnouncements: Map<string, number>;
}

/** Far more than arrive late: those that were lost are forgotten, the oldest first. */
const MAX_LATE_ANNOUNCEMENTS = 10_000;

/** How often a request was announced. */
export const announcementsOf = ({ announcements = 1 }: OpenRequest): number => announcements;

/** An announcement that the log has after the end of its request opens nothing. */
export function openRequest({ openRequests, lateAnnouncements }: RequestFolds, event: OpenRequest): void {
  const { requestId } = event.data;
  const late = lateAnnouncements.get(requestId);
  if (late !== undefined) {
    if (late > 1) lateAnnouncements.set(requestId, late - 1);
    else lateAnnouncements.delete(requestId);
    return;
  }
  const before = openRequests.get(requestId);
  openRequests.set(requestId, before ? { ...event, announcements: announcementsOf(before) + 1 } : event);
}

/** The request has completed. Remembers how many of its announcements are still to arrive. */
export function closeRequest({ openRequests, lateAnnouncements }: RequestFolds, request: FoldedRequest): void {
  const { requestId, announcements } = request;
  // Few requests are announced, and to look one up means to hash its id.
  if (announcements === undefined && openRequests.size === 0) return;
  const open = openRequests.get(requestId);
  if (open) openRequests.delete(requestId);
  const late = (announcements ?? 0) - (open ? announcementsOf(open) : 0);
  if (late <= 0) return;
  lateAnnouncements.set(requestId, late);
  if (lateAnnouncements.size <= MAX_LATE_ANNOUNCEMENTS) return;
  lateAnnouncements.delete(lateAnnouncements.keys().next().value as string);
}
