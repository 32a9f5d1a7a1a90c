import { randomUUIDv7 } from 'node:crypto';

/**
 * A new event id. Ids that sort by time are written side by side in the index of ids: random ones cost the writer twice
 * the CPU, because every event of a batch changes another page.
 */
export const newEventId = (): string => randomUUIDv7();
