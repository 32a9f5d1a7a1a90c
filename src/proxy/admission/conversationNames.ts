import { copyString } from '../requestBody/bytes.ts';

const MAX_ENTRIES = 10_000;

/** Clients choose the key; longer ones are not kept. The first message of a conversation without a name has up to 2,048. */
const MAX_CACHED_KEY = 2_048;

/** Of all keys together: 10,000 of 256, or 1,250 first messages. */
const MAX_CHARACTERS = 2_560_000;

/** Length of the digest that names a conversation in the log. */
export const PIN_CHARACTERS = 32;

/**
 * @param digest an HMAC, in the form that is wanted
 * @returns a function that names a conversation by a digest, because clients choose conversation keys freely. It caches
 * digests, because a conversation has many requests.
 */
export function createConversationNames(digest: (value: string) => string): (client: string, key: string) => string {
  /** By client and key: joined to one text, both would be hashed again for each request. */
  const names = new Map<string, Map<string, string>>();
  let entries = 0;
  let characters = 0;
  return (client, key) => {
    const known = names.get(client)?.get(key);
    if (known !== undefined) return known;
    // Two clients may use the same key for different conversations.
    const value = `${client}\n${key}`;
    const name = digest(value);
    if (key.length > MAX_CACHED_KEY) return name;
    if (entries >= MAX_ENTRIES || characters + value.length > MAX_CHARACTERS) {
      names.clear();
      entries = 0;
      characters = 0;
    }
    let ofClient = names.get(client);
    if (!ofClient) {
      ofClient = new Map();
      names.set(client, ofClient);
    }
    // A copy, because the key may be a slice that keeps a whole body alive.
    ofClient.set(copyString(key), name);
    entries += 1;
    characters += value.length;
    return name;
  };
}

/** A digest as a UUID of version 8, whose bits are free (RFC 9562, section 5.8). @param hex at least 32 digits */
export function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
