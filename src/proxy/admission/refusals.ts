import { type ApiKeyId, type Instant, instant } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { RefusalsCounted, type RefusedRequest, RequestRefused } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend } from '../../eventLog/eventLog.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';

export interface RefusalsOptions {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
}

/** Refusals of a key in a minute that get an event each; further ones are only counted. */
const MAX_EVENTS_PER_MINUTE = 60;

interface MinuteOfRefusals {
  readonly keyId: ApiKeyId | null;
  readonly address: string | null;
  events: number;
  readonly counts: Map<string, number>;
}

/** Records refused requests without letting a flood of them fill the log (docs/decisions/0029-refusals.md). */
export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #minutes: PerMinuteCounter<MinuteOfRefusals>;

  constructor(options: RefusalsOptions) {
    this.#options = options;
    this.#minutes = new PerMinuteCounter({
      now: options.now,
      write: (refusals, minute) => this.#write(refusals, instant(minute)),
    });
  }

  /** Records a refused request of an identified client. Resolves when the refusal is durable or counted. */
  async record(refusal: RefusedRequest): Promise<void> {
    const { keyId, errorCode, requestId } = refusal;
    const refusals = this.#minutes.of(keyId ?? 'anonymous', () => noRefusals(keyId, null));
    if (refusals.events >= MAX_EVENTS_PER_MINUTE) {
      count(refusals, errorCode);
      return;
    }
    refusals.events++;
    await this.#append(RequestRefused(refusal), keyId ? { kind: 'apiKey', keyId } : { kind: 'anonymous' }, requestId);
  }

  /** Counts a request from a client without a valid key, or from an address that is not on the allowlist. */
  countAnonymous(address: string, code: string): void {
    const subject = this.#minutes.hasRoomFor(`address ${address}`) ? address : 'others';
    count(
      this.#minutes.of(`address ${subject}`, () => noRefusals(null, subject)),
      code,
    );
  }

  /** Appends the counts of the current minute. Called when the process stops. */
  stop(): Promise<void> {
    return this.#minutes.stop();
  }

  async #write({ keyId, address, counts }: MinuteOfRefusals, minute: Instant): Promise<void> {
    if (counts.size === 0) return;
    const event = RefusalsCounted({ keyId, address, minute, counts: Object.fromEntries(counts) });
    const reason = 'refusals are counted per minute';
    await this.#append(event, { kind: 'system', reason }, newEventId()).catch(() => undefined);
  }

  async #append(event: KnownEvent, actor: Actor, correlationId: string): Promise<void> {
    const { record, now } = this.#options;
    await record({ id: newEventId(), ...event, time: now(), actor, correlationId });
  }
}

const noRefusals = (keyId: ApiKeyId | null, address: string | null): MinuteOfRefusals => ({
  keyId,
  address,
  events: 0,
  counts: new Map(),
});

const count = ({ counts }: MinuteOfRefusals, code: string) => counts.set(code, (counts.get(code) ?? 0) + 1);
