import { z } from 'zod';
import type { ArchivedDay } from '../../../readModels/archivedDays.ts';

/** Part of a response whose rows may be archived. */
export const archivedSchema = {
  archived: z
    .array(z.object({ day: z.string(), file: z.string(), events: z.int() }))
    .optional()
    .describe('UTC days in the time range whose requests are archived, with the archive file; they have no rows'),
};

/** The part of the response; nothing when no day is archived. */
export const archivedOf = ({ archived }: { readonly archived?: readonly ArchivedDay[] }) =>
  archived ? { archived: archived.map(({ day, file, events }) => ({ day, file, events })) } : {};
