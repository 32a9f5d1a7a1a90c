import type { Instant } from '../../domain/core/brands.ts';
import { holdersOf, type LimitHolder } from '../../domain/limits/limitLevel.ts';
import { type Admission, RequestAdmitted, WEBSOCKET } from '../../domain/request/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend } from '../../eventLog/eventLog.ts';
import { SlotSet } from '../../lib/slotSet.ts';
import type { LimitMeter } from '../admission/limitMeter.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import { actorOf } from '../settlement/settlement.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { Exchange, type ExchangeServices } from './exchange.ts';
import type { IdleLimits } from './idleAction.ts';

export interface OpenRequestsOptions extends Omit<ExchangeServices, 'onEnded'> {
  readonly record: (event: EventToAppend) => Promise<unknown>;
  /** Whose limits other nodes share so closely that they must know at once of an admitted request, and of all their open ones. */
  readonly nearShare: (request: AdmittedRequest) => readonly LimitHolder[];
  /** Whether other nodes share the limits. */
  readonly isShared: () => boolean;
  readonly idleLimits: IdleLimits;
}

/** Requests open for this long are announced in the log (docs/decisions/0027-open-requests-are-announced.md). */
const ANNOUNCE_AFTER_MS = 2_000;

/** The admitted requests of this node. One timer watches all of them, because a timer for each would cost more. */
export class OpenRequests {
  readonly #exchanges = new SlotSet<Exchange>();
  readonly #services: ExchangeServices;
  readonly #options: OpenRequestsOptions;
  readonly #timer: NodeJS.Timeout;
  #onEmpty: (() => void)[] = [];

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
    const { accounts, provider, settle, rememberOutput, onCompleted, report, now, idleLimits } = options;
    const onEnded = (exchange: Exchange) => this.#remove(exchange);
    this.#services = { accounts, provider, settle, rememberOutput, onEnded, onCompleted, report, now };
    const tickMs = Math.max(20, Math.min(500, idleLimits.idleMs / 4, idleLimits.keepAliveMs / 4));
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** How many requests are open, and how many of them the provider's events are being relayed for. */
  get counts(): { readonly open: number; readonly streaming: number } {
    let streaming = 0;
    for (const exchange of this.#exchanges.values()) if (exchange.isStreaming) streaming += 1;
    return { open: this.#exchanges.size, streaming };
  }

  /** Adds a request; the caller starts it. */
  add(request: AdmittedRequest, delivery: Delivery): Exchange {
    const exchange = new Exchange(request, delivery, this.#services);
    this.#exchanges.add(exchange);
    const near = this.#options.nearShare(request);
    if (near.length > 0) this.#announceAllOf(near);
    return exchange;
  }

  /** Resolves when no request is open. */
  drained(): Promise<void> {
    if (this.#exchanges.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  /** Ends all open requests with this error. */
  abortAll(error: ProxyError): void {
    for (const exchange of this.#exchanges.values()) exchange.abort(error);
  }

  /** Stops watching requests. Called when none is open. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #remove(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  #tick(): void {
    const now = performance.now();
    const isShared = this.#options.isShared();
    for (const exchange of this.#exchanges.values()) {
      exchange.tick(now, this.#options.idleLimits);
      if (exchange.isOver) continue;
      const isDue =
        exchange.announcements > 0
          ? isShared && exchange.request.meter?.hasGrown
          : now - exchange.startedAt >= ANNOUNCE_AFTER_MS;
      if (isDue) this.#announce(exchange, this.#options.now());
    }
  }

  #announceAllOf(holders: readonly LimitHolder[]): void {
    const now = this.#options.now();
    for (const exchange of this.#exchanges.values()) {
      const { request, announcements, isOver } = exchange;
      if (announcements > 0 || isOver || !request.key) continue;
      const { id, owner, team } = request.key;
      if (holdersOf({ keyId: id, owner, team }).some((holder) => holders.includes(holder)))
        this.#announce(exchange, now);
    }
  }

  #announce(exchange: Exchange, time: Instant): void {
    exchange.announcements += 1;
    const { request, accountId } = exchange;
    const {
      requestId,
      key,
      route,
      model,
      effort,
      requestedAt,
      serviceTier,
      meter,
      caller,
      conversations,
      socket,
      trace,
    } = request;
    const admission = meter?.hasGrown ? grownAdmission(request.admission, meter) : request.admission;
    const event = RequestAdmitted({
      requestId,
      keyId: key?.id ?? null,
      route,
      model,
      effort,
      requestedAt,
      ...(key?.owner !== undefined && { owner: key.owner }),
      ...(key?.team !== undefined && { team: key.team }),
      ...(socket && { transport: WEBSOCKET, socket }),
      ...conversations,
      client: caller.client,
      ...(trace?.context && { trace: trace.context }),
      ...(admission && { admission }),
      accountId,
      ...(serviceTier !== null && { serviceTier }),
    });
    const append = { id: newEventId(), ...event, time, actor: actorOf(request), correlationId: requestId };
    // Not awaited: a failure does not affect the request.
    this.#options.record(append).catch(() => undefined);
  }
}

/** The admission of a request that reserves more by now: the estimate comes from what it has relayed. */
function grownAdmission(admission: Admission | undefined, meter: LimitMeter): Admission | undefined {
  meter.onAnnounced();
  return admission && { ...admission, estimate: meter.reserved, estimateSource: 'relayed' };
}
