const MAX_ENTRIES = 10_000;
const DIGEST_CHARACTERS = 32;

/**
 * Names a conversation in the log by an HMAC, because clients choose its key and may put anything in it. Remembers recent
 * digests, since a conversation has many requests.
 */
export function createPinDigest(digest: (value: string) => string): (client: string, key: string) => string {
  const digests = new Map<string, string>();
  return (client, key) => {
    // Equal keys of two clients name different conversations.
    const value = `${client}\n${key}`;
    const known = digests.get(value);
    if (known !== undefined) return known;
    if (digests.size >= MAX_ENTRIES) digests.clear();
    const short = digest(value).slice(0, DIGEST_CHARACTERS);
    digests.set(value, short);
    return short;
  };
}
