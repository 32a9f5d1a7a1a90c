import type { Dictionary } from './dictionary.ts';

/** An `AttemptKind` whose kind is in another dictionary; a dictionary has texts only. */
export interface StoredAttemptKind {
  readonly attemptedAccountId: string;
  readonly kindId: string;
}

/** For each attempt kind, by its id, its account and its kind as numbers: there are tens of thousands of them. */
export interface AttemptKindNumbers {
  /** The tried accounts. */
  readonly accountIds: readonly string[];
  /** The place in `accountIds`. */
  readonly accounts: Uint32Array;
  /** The ids of kinds. */
  readonly kinds: Uint32Array;
}

/** Keeps the numbers of a dictionary's entries, to which entries are added. */
export function attemptKindNumbers(dictionary: Dictionary<StoredAttemptKind>): () => AttemptKindNumbers {
  let entries: readonly StoredAttemptKind[] = [];
  let length = 0;
  let places = new Map<string, number>();
  let [accounts, kinds] = [new Uint32Array(1), new Uint32Array(1)];
  return () => {
    // Reading the file again makes another list.
    if (dictionary.entries !== entries) {
      entries = dictionary.entries;
      length = 0;
      places = new Map();
    }
    if (accounts.length <= entries.length) {
      accounts = grown(accounts, 2 * entries.length);
      kinds = grown(kinds, 2 * entries.length);
    }
    for (; length < entries.length; length++) {
      const { attemptedAccountId, kindId } = entries[length] as StoredAttemptKind;
      const place = places.get(attemptedAccountId) ?? places.size;
      places.set(attemptedAccountId, place);
      // Ids begin with 1.
      accounts[length + 1] = place;
      kinds[length + 1] = Number(kindId);
    }
    return { accountIds: [...places.keys()], accounts, kinds };
  };
}

function grown(list: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const result = new Uint32Array(length + 1);
  result.set(list);
  return result;
}
