import type { z } from 'zod';
import type { AccountId, ApiKeyId, Instant, MicroDollars, Position, Sealed, TeamId } from './brands.ts';
import { type Schema, schema } from './schema.ts';

// The types of event fields. Events are read for years, so these must keep accepting what they accepted.
const branded = <Brand>(make: Schema<z.ZodType>) =>
  schema(make as Schema<z.ZodType<unknown, unknown>> as Schema<z.ZodType<Brand, Brand>>);

export const instantSchema = branded<Instant>((z) => z.int());
export const positionSchema = branded<Position>((z) => z.int().min(0));
export const microDollarsSchema = branded<MicroDollars>((z) => z.int().min(0));
export const sealedSchema = branded<Sealed>((z) => z.string().startsWith('sealed.'));
export const accountIdSchema = branded<AccountId>((z) => z.string().min(1));
/** The number of a part and how many there are (`parts.ts`). */
export const partSchema = schema((z) => z.tuple([z.int().min(1), z.int().min(1)]));
export const apiKeyIdSchema = branded<ApiKeyId>((z) => z.uuid());
export const teamIdSchema = branded<TeamId>((z) => z.uuid());
