/** In characters. */
export const MAX_OWNER_LENGTH = 128;

const CONTROL = /\p{Cc}/u;

/**
 * The owner of a key as it is stored: an operator's id or a free text, without spaces around it.
 * @returns the owner, or what is wrong with it
 */
export function readOwner(text: string): { readonly owner: string } | { readonly problem: string } {
  const owner = text.trim();
  const { length } = [...owner];
  if (length < 1 || length > MAX_OWNER_LENGTH) return { problem: `must have 1 to ${MAX_OWNER_LENGTH} characters` };
  if (!owner.isWellFormed() || CONTROL.test(owner))
    return { problem: 'must be well-formed text without control characters' };
  // Programs remove them from a path, where an owner is addressed by its text.
  if (owner === '.' || owner === '..') return { problem: 'must not be "." or ".."' };
  return { owner };
}

/** The owner as a part of the name of its stream: percent-encoded, because an owner is any text. */
export const streamIdOf = (owner: string): string => encodeURIComponent(owner);

/** The owner whose limits a stream has. svc never writes one that does not decode. */
export function ownerOfStream(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
