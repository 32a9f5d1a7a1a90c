import { type ApiKeyId, type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { RefusalsCounted, type RefusedRequest, RequestRefused } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend } from '../../eventLog/eventLog.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';
import type { HotState } from '../../state/fold/hotState.ts';

export interface RefusalsOptions {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  /** The fold by which requests are refused. */
  readonly hot: Pick<HotState, 'position'>;
  readonly now: () => Instant;
}

/** Refusals of a key in a minute that get an event each; further ones are only counted. */
const MAX_EVENTS_PER_MINUTE = 60;

interface MinuteOfRefusals {
  readonly keyId: ApiKeyId | null;
  readonly address: string | null;
  events: number;
  readonly counts: Map<string, number>;
  /** Where the fold was that refused the first and the last of those counted. */
  decidedAt: [Position, Position] | undefined;
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

  /**
   * Records a refused request of an identified client. Resolves when the refusal is durable or counted.
   * @param refusal decided by the fold as it is now, unless it says by which
   */
  async record(refusal: RefusedRequest): Promise<void> {
    const { keyId, errorCode, requestId, decidedAt = this.#options.hot.position } = refusal;
    const refusals = this.#minutes.of(keyId ?? 'anonymous', () => noRefusals(keyId, null));
    if (refusals.events >= MAX_EVENTS_PER_MINUTE) {
      count(refusals, errorCode, decidedAt);
      return;
    }
    refusals.events++;
    const actor: Actor = keyId ? { kind: 'apiKey', keyId } : { kind: 'anonymous' };
    await this.#append(RequestRefused({ ...refusal, decidedAt }), actor, requestId);
  }

  /** Counts a request from a client without a valid key, or from an address that is not on the allowlist, refused just now. */
  countAnonymous(address: string, code: string): void {
    const subject = this.#minutes.hasRoomFor(`address ${address}`) ? address : 'others';
    count(
      this.#minutes.of(`address ${subject}`, () => noRefusals(null, subject)),
      code,
      this.#options.hot.position,
    );
  }

  /** Appends the counts of the current minute. Called when the process stops. */
  stop(): Promise<void> {
    return this.#minutes.stop();
  }

  async #write({ keyId, address, counts, decidedAt }: MinuteOfRefusals, minute: Instant): Promise<void> {
    if (counts.size === 0) return;
    const data = { keyId, address, minute, counts: Object.fromEntries(counts) };
    const event = RefusalsCounted({ ...data, ...(decidedAt && { decidedAt }) });
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
  decidedAt: undefined,
});

function count(refusals: MinuteOfRefusals, code: string, at: Position): void {
  refusals.counts.set(code, (refusals.counts.get(code) ?? 0) + 1);
  const [first, last] = refusals.decidedAt ?? [at, at];
  refusals.decidedAt = [at < first ? at : first, at > last ? at : last];
}
