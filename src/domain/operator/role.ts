import { type Infer, schema } from '../core/schema.ts';

/** What a person may do, from the most to the least. Stored in events. */
export const roles = ['administrator', 'operator', 'auditor', 'member'] as const;
export const roleSchema = schema((z) => z.enum(roles));
export type Role = Infer<typeof roleSchema>;
