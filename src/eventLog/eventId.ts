import { randomUUIDv7 } from 'node:crypto';

/**
 * A new event id. Ids that sort by time land next to each other in the index of ids. Random ids cost the writer twice the
 * CPU, because each event of a batch changes a different page.
 */
export const newEventId = (): string => randomUUIDv7();
