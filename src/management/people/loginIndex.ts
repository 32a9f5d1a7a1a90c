import { createHmac, randomBytes } from 'node:crypto';
import type { Sealed } from '../../domain/core/brands.ts';
import { type Operators, presentOperators } from '../../domain/operator/state.ts';
import { normalizeLogin } from './normalizeLogin.ts';

/** Finds operators by name or e-mail address. */
export interface LoginIndex {
  /** @returns the ids of the operators, of any status but removed, that have this name or address */
  idsOf(login: string, operators: Operators): readonly string[];
}

const NONE: readonly string[] = [];

/**
 * Creates an index that opens each sealed text once: opening all of them for every sign-in would take 40 ms of CPU for 1,000
 * operators, and the time until a match would tell which names exist. It keeps digests under a random key, nothing in plain.
 * @param open returns null for a text that cannot be opened now; the index tries again with the next look-up
 */
export function createLoginIndex(open: (sealed: Sealed) => string | null): LoginIndex {
  const key = randomBytes(32);
  const digestOf = (login: string) => createHmac('sha256', key).update(normalizeLogin(login)).digest('base64');
  let known: ReadonlyMap<Sealed, string> = new Map();
  let indexed: { readonly operators: Operators; readonly ids: ReadonlyMap<string, readonly string[]> } | undefined;

  function indexOf(operators: Operators): ReadonlyMap<string, readonly string[]> {
    if (indexed?.operators === operators) return indexed.ids;
    const digests = new Map<Sealed, string>();
    const ids = new Map<string, readonly string[]>();
    let isComplete = true;
    for (const { id, name, email } of presentOperators(operators)) {
      for (const sealed of [name, email]) {
        if (sealed === null) continue;
        const text = known.has(sealed) ? undefined : open(sealed);
        const digest = known.get(sealed) ?? (text && digestOf(text));
        if (!digest) isComplete = false;
        else {
          digests.set(sealed, digest);
          ids.set(digest, [...(ids.get(digest) ?? NONE), id]);
        }
      }
    }
    known = digests;
    indexed = isComplete ? { operators, ids } : undefined;
    return ids;
  }

  return { idsOf: (login, operators) => indexOf(operators).get(digestOf(login)) ?? NONE };
}
