import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import { type ChainHead, continuedHash, emptyChain, isBreak, verifyLink } from '../hashChain.ts';
import { TransferFailed } from './history.ts';

/**
 * Yields the events of a complete history and verifies their positions and the hash chain of each stream.
 * @param name of the history, for the message
 * @param onBreak called with a sentence for each event that is not intact, which is yielded then
 * @throws TransferFailed at the first event that is not intact, without `onBreak`
 */
export async function* verifyEvents(
  events: AsyncIterable<StoredEvent>,
  name: string,
  onBreak: (message: string) => void = refuse,
): AsyncGenerator<StoredEvent> {
  const heads = new Map<string, ChainHead>();
  let last = 0;
  for await (const event of events) {
    const { position, stream, revision } = event;
    if (position !== last + 1) onBreak(`${name} has no event at position ${last + 1}`);
    const result = verifyLink(event, heads.get(stream) ?? emptyChain);
    if (isBreak(result)) {
      onBreak(`${name} is not intact at position ${position} (${stream}, revision ${revision}): ${result.reason}`);
      heads.set(stream, { revision, hash: continuedHash(event) });
    } else heads.set(stream, result);
    last = position;
    yield event;
  }
}

function refuse(message: string): never {
  throw new TransferFailed(message);
}

/** Yields the events up to and including a position. */
export async function* eventsUpTo(events: AsyncIterable<StoredEvent>, end: Position): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    if (event.position > end) return;
    yield event;
  }
}
