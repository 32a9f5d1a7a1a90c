const CAPACITY = 10_000;
const DIGEST_CHARACTERS = 32;

/**
 * The name under which the log knows a conversation: an HMAC, because clients choose the key and may put anything in it.
 * Remembers recent ones, since a conversation comes back many times.
 */
export function createPinDigest(digest: (value: string) => string): (client: string, key: string) => string {
  const known = new Map<string, string>();
  return (client, key) => {
    // Equal keys of two clients are two conversations.
    const value = `${client}\n${key}`;
    const remembered = known.get(value);
    if (remembered !== undefined) return remembered;
    if (known.size >= CAPACITY) known.clear();
    const made = digest(value).slice(0, DIGEST_CHARACTERS);
    known.set(value, made);
    return made;
  };
}
