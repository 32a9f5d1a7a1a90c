/** A moment in milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly ms: unique symbol };

/** Ordinal of an event in the log: 1, 2, 3, ...; 0 is before the first event. */
export type Position = number & { readonly ordinal: unique symbol };

/** US dollars times 1,000,000, as a whole number: sums stay exact in any order. */
export type MicroDollars = number & { readonly microDollars: unique symbol };

/** A secret encrypted under its subject's data key; only the vault can open it. */
export type Sealed = string & { readonly sealed: unique symbol };

export type AccountId = string & { readonly account: unique symbol };
export type ApiKeyId = string & { readonly apiKey: unique symbol };
export type TeamId = string & { readonly team: unique symbol };

export const instant = (ms: number): Instant => ms as Instant;
export const position = (ordinal: number): Position => ordinal as Position;
export const microDollars = (amount: number): MicroDollars => amount as MicroDollars;
/** As ISO 8601 text in UTC, with milliseconds. */
export const iso = (at: Instant): string => new Date(at).toISOString();
