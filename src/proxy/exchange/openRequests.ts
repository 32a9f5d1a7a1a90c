import type { Instant } from '../../domain/core/brands.ts';
import { RequestAdmitted } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { SlotSet } from '../../lib/slotSet.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import { actorOf } from '../settlement/settlement.ts';
import type { Exchange } from './exchange.ts';

export interface OpenRequestsOptions {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  readonly now: () => Instant;
  /** Silence of the provider that ends a request. */
  readonly idleMs: number;
  /** Silence after which the client gets a sign of life. */
  readonly keepAliveMs: number;
}

/** From this age on a request is announced in the log, so that a crash cannot make it vanish (design.md section 5). */
const ANNOUNCE_AFTER_MS = 2_000;

/** The requests under way on this node. One timer looks after all of them: a timer each would cost more than it tells. */
export class OpenRequests {
  readonly #exchanges = new SlotSet<Exchange>();
  readonly #options: OpenRequestsOptions;
  readonly #timer: NodeJS.Timeout;
  #whenEmpty: (() => void)[] = [];

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
    const everyMs = Math.max(20, Math.min(500, options.idleMs / 4, options.keepAliveMs / 4));
    this.#timer = setInterval(() => this.#tick(), everyMs);
    this.#timer.unref();
  }

  get count(): number {
    return this.#exchanges.size;
  }

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange);
  }

  remove(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** Resolves when no request is open any more. */
  drained(): Promise<void> {
    if (this.#exchanges.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  abortAll(error: ProxyError): void {
    for (const exchange of this.#exchanges.values()) exchange.abort(error);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const at = performance.now();
    for (const exchange of this.#exchanges.values()) {
      exchange.tick(at, this.#options);
      if (!exchange.isAnnounced && !exchange.isOver && at - exchange.begunAt >= ANNOUNCE_AFTER_MS) {
        exchange.isAnnounced = true;
        this.#announce(exchange, this.#options.now());
      }
    }
  }

  #announce({ request, accountId }: Exchange, time: Instant): void {
    const { requestId, key, route, model, effort, requestedAt, admission, serviceTier } = request;
    const event = RequestAdmitted({
      requestId,
      keyId: key?.id ?? null,
      route,
      model,
      effort,
      requestedAt,
      ...(admission && { admission }),
      accountId,
      ...(serviceTier !== null && { serviceTier }),
    });
    const append = { id: newEventId(), ...event, time, actor: actorOf(request), correlationId: requestId };
    // Nobody waits for it: the request goes on whether or not it could be announced.
    this.#options.record(append).catch(() => undefined);
  }
}
