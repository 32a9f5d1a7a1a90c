import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { ActionDenied } from '../../domain/session/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Principal } from '../people/principal.ts';

export interface DeniedActionsOptions {
  readonly record: (event: EventToAppend) => Promise<Position>;
  readonly now: () => Instant;
  readonly report: (error: unknown) => void;
}

interface Denials {
  readonly operatorId: string;
  readonly action: string;
  readonly cause: Cause;
  /** Without the first one, which has an event of its own. */
  count: number;
}

/** Records what roles did not allow: the first one of a minute per person and route at once, the further ones as one count. */
export class DeniedActions {
  readonly #options: DeniedActionsOptions;
  readonly #counter: PerMinuteCounter<Denials>;

  constructor(options: DeniedActionsOptions) {
    this.#options = options;
    this.#counter = new PerMinuteCounter({
      now: options.now,
      write: ({ count, ...denials }, minute) =>
        count > 0 ? this.#append(denials, count, instant(minute)) : Promise.resolve(),
    });
  }

  /** Never rejects: the client gets the refusal even if the event could not be recorded. */
  async record({ operatorId, tokenId }: Principal, action: string, cause: Cause): Promise<void> {
    const key = JSON.stringify([operatorId, tokenId, action]);
    let isFirst = false;
    const denials = this.#counter.of(this.#counter.hasRoomFor(key) ? key : 'others', () => {
      isFirst = true;
      return { operatorId, action, cause, count: 0 };
    });
    if (isFirst) await this.#append({ operatorId, action, cause }, 1, null);
    else denials.count += 1;
  }

  /** Appends the pending counts. */
  stop(): Promise<void> {
    return this.#counter.stop();
  }

  async #append({ operatorId, action, cause }: Omit<Denials, 'count'>, count: number, minute: Instant | null) {
    const { record, now, report } = this.#options;
    const { actor, correlationId } = cause;
    const event = ActionDenied({ operatorId, action, minute, count });
    await record({ ...event, id: newEventId(), time: now(), actor, correlationId }).catch(report);
  }
}
