import type { Vault } from './vault.ts';

const DIGEST_CHARACTERS = 24;

/** @returns the name of a conversation in the log: a digest, because clients choose the ids of conversations freely */
export const conversationDigest = (vault: Pick<Vault, 'digest'>, id: string): string =>
  vault.digest('conversation', id).slice(0, DIGEST_CHARACTERS);
