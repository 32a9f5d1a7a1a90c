import { z } from 'zod';

/** `forgotten` of an object on the wire (docs/decisions/0092-forgotten-is-named.md). */
export const forgotten = z
  .array(z.string())
  .optional()
  .describe('Fields of this object that had a value which was forgotten, or whose key is lost; absent without any');
