import type { ApiKeyId, Instant } from '../domain/core/brands.ts';
import type { Vault } from './vault.ts';

// The data keys of those who send model requests: one for each API key, and one a month for requests without a key.

const PREFIX = 'callers-';
const DIGEST_CHARACTERS = 16;

/** The subject of the data keys for the callers of an API key. Destroying them forgets where its requests came from. */
export const callersOfKey = (keyId: ApiKeyId): string => `${PREFIX}${keyId}`;

/** The subject of the data keys for requests without an API key in the month of UTC that contains `at`. */
export const callersOfMonth = (at: Instant): string => callersIn(monthOf(at));

/** The month of UTC that contains `at`, `2026-11`. */
export const monthOf = (at: Instant): string => new Date(at).toISOString().slice(0, 7);

/** The subject of the data keys for requests without an API key in a month of UTC, `2026-11`. */
export const callersIn = (month: string): string => `${PREFIX}${month}`;

const MONTH = /^callers-(\d{4}-\d\d)$/;

/** The months of UTC whose callers can still be read, `2026-11`, earliest first. */
export const monthsOfCallers = (vault: Pick<Vault, 'keysOf'>): string[] => {
  const months = vault.keysOf(PREFIX).flatMap(({ subject }) => MONTH.exec(subject)?.[1] ?? []);
  return [...new Set(months)].sort();
};

/** The ids of the API keys, existing or deleted, whose callers can still be read. */
export const keysOfCallers = (vault: Pick<Vault, 'keysOf'>): ApiKeyId[] => {
  const subjects = new Set(vault.keysOf(PREFIX).map(({ subject }) => subject));
  return [...subjects]
    .filter((subject) => !MONTH.test(subject))
    .map((subject) => subject.slice(PREFIX.length) as ApiKeyId);
};

/** @returns a short digest of an address, by which the requests under one data key are found */
export const addressDigest = (vault: Pick<Vault, 'digestUnder'>, keyId: string, address: string): string =>
  vault.digestUnder(keyId, 'address', address).slice(0, DIGEST_CHARACTERS);

/** @returns the digests of an address under all data keys of callers */
export const addressDigests = (vault: Pick<Vault, 'digestUnder' | 'keysOf'>, address: string): string[] =>
  vault.keysOf(PREFIX).map(({ id }) => addressDigest(vault, id, address));

/** Where a request came from. */
export interface RequestOrigin {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Neither an address nor the value of a header has a line feed. */
const SEPARATOR = '\n';

/** @returns the text to seal for where a request came from */
export const originText = (address = '', userAgent = ''): string => `${address}${SEPARATOR}${userAgent}`;

/** @param text of `originText`; null gives nulls */
export function originIn(text: string | null): RequestOrigin {
  const [address, userAgent] = text?.split(SEPARATOR) ?? [];
  return { address: address || null, userAgent: userAgent || null };
}
