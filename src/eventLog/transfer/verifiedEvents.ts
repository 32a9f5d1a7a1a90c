import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import { type ChainHead, emptyChain, isBreak, verifyLink } from '../hashChain.ts';
import { TransferFailed } from './history.ts';

/**
 * Lets events through that stand where they must and prove themselves by their chain, from the first on.
 * @param what the history is called in the message
 * @throws TransferFailed at the first that does not
 */
export async function* verifiedEvents(events: AsyncIterable<StoredEvent>, what: string): AsyncGenerator<StoredEvent> {
  const heads = new Map<string, ChainHead>();
  let last = 0;
  for await (const event of events) {
    const { position, stream, revision } = event;
    if (position !== last + 1) throw new TransferFailed(`${what} has no event at position ${last + 1}`);
    const result = verifyLink(event, heads.get(stream) ?? emptyChain);
    if (isBreak(result)) {
      throw new TransferFailed(
        `${what} is not intact at position ${position} (${stream}, revision ${revision}): ${result.reason}`,
      );
    }
    heads.set(stream, result);
    last = position;
    yield event;
  }
}

/** Events up to and with a position. */
export async function* eventsUpTo(events: AsyncIterable<StoredEvent>, end: Position): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    if (event.position > end) return;
    yield event;
  }
}
