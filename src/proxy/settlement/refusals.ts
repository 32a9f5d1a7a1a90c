import type { ApiKeyId, Instant } from '../../domain/brands.ts';
import { instant } from '../../domain/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { RefusalsCounted, type RefusedRequest, RequestRefused } from '../../domain/request/events.ts';
import { newEventId } from '../../log/eventId.ts';
import type { Actor, EventToAppend } from '../../log/eventLog.ts';

export interface RefusalsOptions {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
}

/** So many refusals of one key and minute are events of their own; the rest of the minute is one number. */
const EVENTS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Strangers choose their addresses: beyond so many in a minute they are counted together. */
const MAX_SUBJECTS = 10_000;

interface Minute {
  readonly keyId: ApiKeyId | null;
  readonly address: string | null;
  readonly startedAt: Instant;
  events: number;
  readonly counts: Map<string, number>;
}

/** Writes down who was refused what, without letting a client that hammers us fill the log (design.md section 5). */
export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #minutes = new Map<string, Minute>();
  readonly #timer: NodeJS.Timeout;
  /** Resolves when everything that was taken out has been written: the end of the process waits for it. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: RefusalsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(options.now()), MINUTE_MS / 4);
    this.#timer.unref();
  }

  /** A request of a known caller was refused before any account was asked. Resolves when that is durable or counted. */
  async refused(refusal: RefusedRequest): Promise<void> {
    const time = this.#options.now();
    const minute = this.#minuteOf(refusal.keyId ?? 'anonymous', refusal.keyId, null, time);
    if (minute.events >= EVENTS_PER_MINUTE) {
      count(minute, refusal.errorCode);
      return;
    }
    minute.events++;
    const actor: Actor = refusal.keyId ? { kind: 'apiKey', keyId: refusal.keyId } : { kind: 'anonymous' };
    await this.#record(RequestRefused(refusal), time, actor, refusal.requestId);
  }

  /** Somebody without a key or not on the allowlist was turned away; only counted. */
  turnedAway(address: string, code: string): void {
    const subject = this.#minutes.size < MAX_SUBJECTS ? address : 'others';
    count(this.#minuteOf(`address ${subject}`, null, subject, this.#options.now()), code);
  }

  /** Appends the counts of minutes that have passed; all of them at the end of the process. */
  async flush(until: Instant): Promise<void> {
    // Taken out before anything is awaited: meanwhile a new minute may begin under the same subject.
    // A minute that lies ahead is one that passed before the clock was put back.
    const isOver = ({ startedAt }: Minute) => until - startedAt >= MINUTE_MS || startedAt > until;
    const due = [...this.#minutes].filter(([, minute]) => isOver(minute));
    for (const [subject] of due) this.#minutes.delete(subject);
    this.#written = this.#written.then(() => this.#write(due));
    await this.#written;
  }

  async #write(due: readonly (readonly [string, Minute])[]): Promise<void> {
    for (const [, { keyId, address, startedAt, counts }] of due) {
      if (counts.size === 0) continue;
      const event = RefusalsCounted({ keyId, address, minute: startedAt, counts: Object.fromEntries(counts) });
      const reason = 'refusals are counted per minute';
      await this.#record(event, this.#options.now(), { kind: 'system', reason }, newEventId()).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush(instant(Number.MAX_SAFE_INTEGER));
  }

  #minuteOf(subject: string, keyId: ApiKeyId | null, address: string | null, now: Instant): Minute {
    const startedAt = instant(now - (now % MINUTE_MS));
    const current = this.#minutes.get(subject);
    if (current && current.startedAt === startedAt) return current;
    if (current) void this.flush(now);
    const minute: Minute = { keyId, address, startedAt, events: 0, counts: new Map() };
    this.#minutes.set(subject, minute);
    return minute;
  }

  async #record(event: KnownEvent, time: Instant, actor: Actor, correlationId: string): Promise<void> {
    await this.#options.record({ id: newEventId(), ...event, time, actor, correlationId });
  }
}

const count = ({ counts }: Minute, code: string) => counts.set(code, (counts.get(code) ?? 0) + 1);
