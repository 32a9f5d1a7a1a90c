import type { SigningKey } from '../notes/noteKeys.ts';
import { checkpointKeyFromFile } from './checkpointKey.ts';

/**
 * Compares a key in memory with the file that it was read from, which the next start reads.
 * @returns why the next start would not have this key; undefined when it would
 */
export function keyFileProblem(path: string, { publicKey }: Pick<SigningKey, 'publicKey'>): string | undefined {
  try {
    const kept = checkpointKeyFromFile(path, { mayCreate: false });
    return kept.publicKey.equals(publicKey) ? undefined : `${path} has another key`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'INVALID_CHECKPOINT_KEY' && message.startsWith(`${path} is missing`)) return `${path} is missing`;
    return `${path} is no key that svc can read (${message.split('. ')[0]?.replace(/\.$/, '')})`;
  }
}
