import { type Instant, instant, type Position } from '../../domain/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { refuse } from '../../domain/refusal.ts';
import { SignInFailed, type SignInMethod, SignInsThrottled } from '../../domain/session/events.ts';
import { newEventId } from '../../log/eventId.ts';
import type { EventToAppend } from '../../log/eventLog.ts';
import { LogUnavailable } from '../../log/requestSink.ts';
import type { Cause } from '../../projecting/commandHandler.ts';
import type { HotRunner } from '../../projecting/hotRunner.ts';
import { inForce } from '../../projecting/inForce.ts';

export interface SignInsOptions {
  /** The sink of the streams `sessions-...`: an outage of the store of events locks nobody out. */
  readonly record: (event: EventToAppend) => Promise<Position>;
  readonly hot: Pick<HotRunner, 'whenFolded'>;
  readonly now: () => Instant;
  readonly report: (error: unknown) => void;
}

const MINUTE_MS = 60_000;
/** Strangers choose their addresses: beyond so many in a minute they are counted together. */
const MOST_ADDRESSES = 10_000;

/** Writes down who signed in and out, and who tried in vain. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #throttled = new Map<string, { readonly minute: Instant; count: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#flush(options.now()), MINUTE_MS / 4);
    this.#timer.unref();
  }

  /** Makes an event durable and waits until this node has folded it. @throws Refusal `log_unavailable` */
  async record(event: KnownEvent, cause: Cause): Promise<void> {
    const { record, hot, now } = this.#options;
    const { actor, correlationId } = cause;
    const toAppend = { ...event, id: newEventId(), time: now(), actor, correlationId };
    const position = await record(toAppend).catch((error: unknown) =>
      error instanceof LogUnavailable ? refuse('log_unavailable', { reason: error.message }) : Promise.reject(error),
    );
    await inForce(hot, position);
  }

  /** A wrong answer stays a wrong answer when it cannot be written down. */
  async failed(method: SignInMethod, address: string, cause: Cause): Promise<void> {
    await this.record(SignInFailed({ method, address }), cause).catch(this.#options.report);
  }

  /** An attempt that was not looked at; only counted. */
  throttled(address: string): void {
    const now = this.#options.now();
    const minute = instant(now - (now % MINUTE_MS));
    const subject = this.#throttled.has(address) || this.#throttled.size < MOST_ADDRESSES ? address : 'others';
    const counted = this.#throttled.get(subject);
    if (counted?.minute === minute) {
      counted.count++;
      return;
    }
    if (counted) void this.#flush(now);
    this.#throttled.set(subject, { minute, count: 1 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush(instant(Number.MAX_SAFE_INTEGER));
  }

  /** Appends the counts of minutes that have passed. */
  async #flush(until: Instant): Promise<void> {
    const { record, now, report } = this.#options;
    for (const [address, { minute, count }] of [...this.#throttled]) {
      if (until - minute < MINUTE_MS) continue;
      this.#throttled.delete(address);
      const actor = { kind: 'system', reason: 'throttled attempts are counted per minute' } as const;
      const event = SignInsThrottled({ address, minute, count });
      await record({ ...event, id: newEventId(), time: now(), actor, correlationId: newEventId() }).catch(report);
    }
  }
}
