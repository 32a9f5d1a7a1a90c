const MAX_ENTRIES = 10_000;
const DIGEST_CHARACTERS = 32;

/**
 * @param digest an HMAC
 * @returns a function that names a conversation in the log: by a digest, because clients choose conversation keys freely. It
 * caches digests, because a conversation has many requests.
 */
export function createPinDigest(digest: (value: string) => string): (client: string, key: string) => string {
  const digests = new Map<string, string>();
  return (client, key) => {
    // Two clients may use the same key for different conversations.
    const value = `${client}\n${key}`;
    const known = digests.get(value);
    if (known !== undefined) return known;
    if (digests.size >= MAX_ENTRIES) digests.clear();
    const short = digest(value).slice(0, DIGEST_CHARACTERS);
    digests.set(value, short);
    return short;
  };
}
