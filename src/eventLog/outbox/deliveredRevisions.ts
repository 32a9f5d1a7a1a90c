import type { Position } from '../../domain/core/brands.ts';
import type { EventLog, RecordedEvent } from '../eventLog.ts';

type PlaceInStream = Pick<RecordedEvent, 'stream' | 'revision'>;

/** More streams than a node writes before its outbox is drained. The oldest are forgotten: nothing writes to them any more. */
const MAX_STREAMS = 1_000;

/**
 * Which events of this node's own streams the log has delivered. The log and the outbox are read by different threads, so
 * an event can come back from the log before the outbox has reported it durable. Such an event must not be applied as
 * pending: the log will not deliver it a second time, and nothing would end its pending state.
 */
export class DeliveredRevisions {
  readonly #last = new Map<string, number>();
  readonly #isOwn: (stream: string) => boolean;

  /** @param isOwn whether this node writes to a stream; an outbox reports the events of no other streams */
  constructor(isOwn: (stream: string) => boolean) {
    this.#isOwn = isOwn;
  }

  /** Called with every event that the log delivers. */
  onDelivered({ stream, revision }: PlaceInStream): void {
    if (!this.#isOwn(stream) || revision <= (this.#last.get(stream) ?? -1)) return;
    // Inserted again, so that the first stream of the map is the one that was written to least recently.
    this.#last.delete(stream);
    this.#last.set(stream, revision);
    if (this.#last.size > MAX_STREAMS) this.#last.delete(this.#last.keys().next().value as string);
  }

  /** Adds what the log delivered of a stream before `onDelivered` was first called. @param upTo the last such position */
  async addEarlier(log: Pick<EventLog, 'readStream'>, stream: string, from: number, upTo: Position): Promise<void> {
    for await (const event of log.readStream(stream, from)) {
      if (event.position > upTo) return;
      this.onDelivered(event);
    }
  }

  /** Whether the log has delivered the event. Streams are delivered in order. */
  has({ stream, revision }: PlaceInStream): boolean {
    return revision <= (this.#last.get(stream) ?? -1);
  }
}
