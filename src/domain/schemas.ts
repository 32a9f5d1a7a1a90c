import { z } from 'zod';
import type { AccountId, ApiKeyId, Instant, MicroDollars, Position, Sealed } from './brands.ts';

// Events are read back for years: every field of theirs is spelled with one of these.
const branded = <Brand>(schema: z.ZodType) => schema as unknown as z.ZodType<Brand, Brand>;

export const instantSchema = branded<Instant>(z.int());
export const positionSchema = branded<Position>(z.int().min(0));
export const microDollarsSchema = branded<MicroDollars>(z.int().min(0));
export const sealedSchema = branded<Sealed>(z.string().startsWith('sealed.'));
export const accountIdSchema = branded<AccountId>(z.string().min(1));
export const apiKeyIdSchema = branded<ApiKeyId>(z.uuid());
