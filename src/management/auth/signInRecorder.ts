import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import {
  OperatorSignInFailed,
  SignInFailed,
  type SignInMethod,
  SignInsThrottled,
} from '../../domain/session/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { LogUnavailable } from '../../eventLog/eventSink.ts';
import type { Faults } from '../../lib/faults.ts';
import { PerMinuteCounter } from '../../lib/perMinuteCounter.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { waitUntilApplied } from '../../state/commands/waitUntilApplied.ts';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface SignInRecorderOptions {
  /** The sink of the streams `sessions-...`. It accepts events during an outage of EventStoreDB, so sign-ins still work. */
  readonly record: (event: EventToAppend) => Promise<Position>;
  readonly hot: Pick<HotRunner, 'whenFolded'>;
  readonly now: () => Instant;
  readonly report: (error: unknown) => void;
  readonly faults: Pick<Faults, 'raise'>;
}

/** Longer than the throttle looks back. */
const THROTTLED_FOR_MS = 120_000;

interface ThrottledAttempts {
  readonly address: string;
  count: number;
}

/** Appends events about sessions: started, ended, failed and throttled sign-ins. */
export class SignInRecorder {
  readonly #options: SignInRecorderOptions;
  readonly #throttled: PerMinuteCounter<ThrottledAttempts>;

  constructor(options: SignInRecorderOptions) {
    this.#options = options;
    this.#throttled = new PerMinuteCounter({
      now: options.now,
      write: (countThrottled, minute) => this.#writeThrottled(countThrottled, instant(minute)),
    });
  }

  /** Appends an event and waits until this node has folded it. @throws Refusal `log_unavailable` */
  async record(event: KnownEvent, cause: Cause): Promise<void> {
    const { record, hot, now } = this.#options;
    const { actor, correlationId } = cause;
    const toAppend = { ...event, id: newEventId(), time: now(), actor, correlationId };
    const position = await record(toAppend).catch((error: unknown) =>
      error instanceof LogUnavailable ? refuse('log_unavailable', { reason: error.message }) : Promise.reject(error),
    );
    await waitUntilApplied(hot, position);
  }

  /** As `record`, for what the response does not depend on. Never rejects. */
  async recordQuietly(event: KnownEvent, cause: Cause): Promise<void> {
    await this.record(event, cause).catch(this.#options.report);
  }

  /**
   * Records a wrong credential. Never rejects: the client gets the refusal even if the event could not be recorded.
   * @param operatorId in whose name it was tried; then the event has no address but that of the actor, which is sealed
   */
  async recordFailure(method: SignInMethod, address: string, cause: Cause, operatorId?: string): Promise<void> {
    const event =
      operatorId === undefined ? SignInFailed({ method, address }) : OperatorSignInFailed({ operatorId, method });
    await this.recordQuietly(event, cause);
  }

  /**
   * Counts an attempt that the throttle refused. One event per minute and address records the count.
   * @param operatorId in whose name it was tried; then the event has no address, as in `recordFailure`
   */
  throttled(address: string, operatorId?: string): void {
    // Once the counter is full, further addresses share one entry.
    const isNamed = operatorId === undefined && this.#throttled.hasRoomFor(address);
    const subject = isNamed ? address : 'others';
    this.#throttled.of(subject, () => ({ address: subject, count: 0 })).count++;
    const fault = {
      code: 'sign_ins_throttled',
      cause: `Sign-ins are refused without being checked because too many failed, the last one from ${address}.`,
      remedy: 'If you do not know this address, block it: the password may be under attack. Ends by itself.',
    };
    this.#options.faults.raise(fault, { overAfterMs: THROTTLED_FOR_MS });
  }

  /** Appends the pending counts. */
  stop(): Promise<void> {
    return this.#throttled.stop();
  }

  async #writeThrottled({ address, count }: ThrottledAttempts, minute: Instant): Promise<void> {
    const { record, now, report } = this.#options;
    const actor = { kind: 'system', reason: 'throttled attempts are counted per minute' } as const;
    const event = SignInsThrottled({ address, minute, count });
    await record({ ...event, id: newEventId(), time: now(), actor, correlationId: newEventId() }).catch(report);
  }
}
