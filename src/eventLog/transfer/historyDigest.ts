import { createHash } from 'node:crypto';
import type { StoredEvent } from '../eventLog.ts';

/**
 * The digest of positions and hashes. An event's hash covers all else that it has, so two histories whose events were verified
 * and that have the same digest are the same, in content and order.
 * @param events verified, as `verifyEvents` does
 */
export async function digestOf(events: AsyncIterable<StoredEvent>): Promise<string> {
  const hash = createHash('sha256');
  for await (const { position, metadata } of events) hash.update(`${position} ${metadata.hash}\n`);
  return hash.digest('hex');
}
