import { existsSync } from 'node:fs';
import type { SigningKey } from '../notes/noteKeys.ts';
import { checkpointKeyFromFile } from './checkpointKey.ts';

/**
 * Compares a key in memory with the file that it was read from, which the next start reads.
 * @returns why the next start would not have this key; undefined when it would
 */
export function keyFileProblem(path: string, { publicKey }: Pick<SigningKey, 'publicKey'>): string | undefined {
  if (!existsSync(path)) return `${path} is missing`;
  try {
    const kept = checkpointKeyFromFile(path, { mayCreate: false });
    return kept.publicKey.equals(publicKey) ? undefined : `${path} has another key`;
  } catch (error) {
    const { message } = error as Error;
    return `${path} is no key that svc can read (${message.split('. ')[0]?.replace(/\.$/, '')})`;
  }
}
