import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { RefusalsCounted, type RefusedRequest, RequestRefused } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend } from '../../eventLog/eventLog.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';

export interface RefusalsOptions {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
}

/** So many refusals of one key and minute are events of their own; the rest of the minute is one number. */
const EVENTS_PER_MINUTE = 60;

interface Counted {
  readonly keyId: ApiKeyId | null;
  readonly address: string | null;
  events: number;
  readonly counts: Map<string, number>;
}

/** Writes down who was refused what, without letting a client that hammers us fill the log (design.md section 5). */
export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #minutes: PerMinuteCounter<Counted>;

  constructor(options: RefusalsOptions) {
    this.#options = options;
    this.#minutes = new PerMinuteCounter({
      now: options.now,
      write: (counted, minute) => this.#write(counted, minute),
    });
  }

  /** A request of a known client was refused before any account was asked. Resolves when that is durable or counted. */
  async refused(refusal: RefusedRequest): Promise<void> {
    const { keyId, errorCode, requestId } = refusal;
    const counted = this.#minutes.of(keyId ?? 'anonymous', () => nothing(keyId, null));
    if (counted.events >= EVENTS_PER_MINUTE) {
      count(counted, errorCode);
      return;
    }
    counted.events++;
    await this.#record(RequestRefused(refusal), keyId ? { kind: 'apiKey', keyId } : { kind: 'anonymous' }, requestId);
  }

  /** Somebody without a key or not on the allowlist was turned away; only counted. */
  turnedAway(address: string, code: string): void {
    const subject = this.#minutes.hasRoomFor(`address ${address}`) ? address : 'others';
    count(
      this.#minutes.of(`address ${subject}`, () => nothing(null, subject)),
      code,
    );
  }

  /** Appends what was counted, at the end of the process. */
  stop(): Promise<void> {
    return this.#minutes.stop();
  }

  async #write({ keyId, address, counts }: Counted, minute: Instant): Promise<void> {
    if (counts.size === 0) return;
    const event = RefusalsCounted({ keyId, address, minute, counts: Object.fromEntries(counts) });
    const reason = 'refusals are counted per minute';
    await this.#record(event, { kind: 'system', reason }, newEventId()).catch(() => undefined);
  }

  async #record(event: KnownEvent, actor: Actor, correlationId: string): Promise<void> {
    const { record, now } = this.#options;
    await record({ id: newEventId(), ...event, time: now(), actor, correlationId });
  }
}

const nothing = (keyId: ApiKeyId | null, address: string | null): Counted => ({
  keyId,
  address,
  events: 0,
  counts: new Map(),
});

const count = ({ counts }: Counted, code: string) => counts.set(code, (counts.get(code) ?? 0) + 1);
