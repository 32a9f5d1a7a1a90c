import type { Instant, Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { SignInFailed, type SignInMethod, SignInsThrottled } from '../../domain/session/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { LogUnavailable } from '../../eventLog/eventSink.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { waitUntilApplied } from '../../state/commands/waitUntilApplied.ts';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface SignInsOptions {
  /** The sink of the streams `sessions-...`: an outage of the store of events locks nobody out. */
  readonly record: (event: EventToAppend) => Promise<Position>;
  readonly hot: Pick<HotRunner, 'whenFolded'>;
  readonly now: () => Instant;
  readonly report: (error: unknown) => void;
}

interface Throttled {
  readonly address: string;
  count: number;
}

/** Writes down who signed in and out, and who tried in vain. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #throttled: PerMinuteCounter<Throttled>;

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#throttled = new PerMinuteCounter({
      now: options.now,
      write: (throttled, minute) => this.#write(throttled, minute),
    });
  }

  /** Makes an event durable and waits until this node has folded it. @throws Refusal `log_unavailable` */
  async record(event: KnownEvent, cause: Cause): Promise<void> {
    const { record, hot, now } = this.#options;
    const { actor, correlationId } = cause;
    const toAppend = { ...event, id: newEventId(), time: now(), actor, correlationId };
    const position = await record(toAppend).catch((error: unknown) =>
      error instanceof LogUnavailable ? refuse('log_unavailable', { reason: error.message }) : Promise.reject(error),
    );
    await waitUntilApplied(hot, position);
  }

  /** A wrong answer stays a wrong answer when it cannot be written down. */
  async failed(method: SignInMethod, address: string, cause: Cause): Promise<void> {
    await this.record(SignInFailed({ method, address }), cause).catch(this.#options.report);
  }

  /** An attempt that was not looked at; only counted. */
  throttled(address: string): void {
    // Beyond, strangers are counted together.
    const subject = this.#throttled.hasRoomFor(address) ? address : 'others';
    this.#throttled.of(subject, () => ({ address: subject, count: 0 })).count++;
  }

  /** Appends what was counted, at the end of the process. */
  stop(): Promise<void> {
    return this.#throttled.stop();
  }

  async #write({ address, count }: Throttled, minute: Instant): Promise<void> {
    const { record, now, report } = this.#options;
    const actor = { kind: 'system', reason: 'throttled attempts are counted per minute' } as const;
    const event = SignInsThrottled({ address, minute, count });
    await record({ ...event, id: newEventId(), time: now(), actor, correlationId: newEventId() }).catch(report);
  }
}
