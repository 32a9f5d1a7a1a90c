import { z } from 'zod';

/** The query parameter of every GET that can show an earlier moment; `describeRoute` adds it. */
export const atQuery = {
  at: z
    .string()
    .optional()
    .describe('Show what was returned at this log position or ISO 8601 time instead of the current state'),
};
