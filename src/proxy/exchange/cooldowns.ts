import { coolDownAfterFailure, coolDownForLimit, endsWithSuccess } from '../../domain/coolDown/decide.ts';
import {
  AccountRecovered,
  accountsCooled,
  type CooledAccount,
  type CooledByRequest,
} from '../../domain/coolDown/events.ts';
import {
  type CoolDown,
  type CoolDownChange,
  type CoolDowns,
  changesIn,
  withPending,
} from '../../domain/coolDown/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { Actor, EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';

export interface CooldownsOptions {
  /** Those of the hot state. */
  readonly folded: ReadonlyMap<AccountId, CoolDown>;
  /** @param onGivenUp called when the event will never be in the log */
  readonly record: (event: EventToAppend, onGivenUp: () => void) => Promise<unknown>;
  /** Whether this process writes the given stream. */
  readonly isOfThisStart: (stream: string) => boolean;
  readonly now: () => Instant;
  /** How long failures are collected for one event. */
  readonly collectMs?: number;
}

/** The failure of an attempt, or the request that succeeded. */
interface Change extends CoolDownChange {
  readonly requestId: string;
}

/** Accounts per event, which keeps events small. */
const MAX_ACCOUNTS = 20;
const ACTOR: Actor = { kind: 'system', reason: 'failed attempts' };

/**
 * The cool-downs of accounts as this node knows them: those of the log, and its own changes that the log does not have yet.
 * Every change becomes part of an event, so that all nodes leave the account out. Changes are collected for a moment and
 * written at the latest before the end of the next request, which may depend on them.
 */
export class Cooldowns implements CoolDowns {
  readonly #options: CooldownsOptions;
  /** The last change of each account that is not folded yet. */
  readonly #pending = new Map<AccountId, CoolDownChange>();
  readonly #view: CoolDowns;
  #unwritten: Change[] = [];
  #lastNumber = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CooldownsOptions) {
    this.#options = options;
    this.#view = withPending(options.folded, this.#pending);
  }

  /** @returns the last cool-down of an account, in force or passed */
  get(accountId: AccountId): CoolDown | undefined {
    return this.#view.get(accountId);
  }

  /** The number of the last change, if this node knows more than the log; a choice that depends on it records the number. */
  get lastPending(): number | undefined {
    return this.#pending.size > 0 ? this.#lastNumber : undefined;
  }

  /**
   * Starts the cool-down of an account that failed, or extends it.
   * @param atLeastMs the time that the provider asked for
   */
  add(accountId: AccountId, cause: string, requestId: string, now: Instant, atLeastMs?: number): void {
    const coolDown = coolDownAfterFailure(this.get(accountId), { cause, atLeastMs }, now);
    if (coolDown) this.#change(accountId, coolDown, requestId);
  }

  /** Leaves out an account whose limit the provider reported: the event about the request may follow much later. */
  limit(accountId: AccountId, cause: string, requestId: string, now: Instant, limitedUntil: Instant): void {
    const coolDown = coolDownForLimit(this.get(accountId), { cause, limitedUntil }, now);
    if (coolDown) this.#change(accountId, coolDown, requestId);
  }

  /** Ends the cool-down of an account that succeeded. */
  succeeded(accountId: AccountId, requestId: string, startedAt: Instant): void {
    if (this.#pending.size === 0 && this.#options.folded.size === 0) return;
    const coolDown = this.get(accountId);
    if (endsWithSuccess(coolDown, startedAt, this.#options.now())) this.#change(accountId, undefined, requestId);
  }

  #change(accountId: AccountId, coolDown: CoolDown | undefined, requestId: string): void {
    const number = ++this.#lastNumber;
    this.#pending.set(accountId, { number, accountId, coolDown });
    this.#unwritten.push({ number, accountId, coolDown, requestId });
    this.#timer ??= setTimeout(() => this.flush(), this.#options.collectMs ?? 250).unref();
  }

  /** Writes what was collected. Called before the end of every request is recorded. */
  flush(): void {
    if (this.#unwritten.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = this.#unwritten;
    this.#unwritten = [];
    for (const part of partsOf(changes)) this.#write(part);
  }

  #write(changes: readonly [Change, ...Change[]]): void {
    const { record, now } = this.#options;
    const [{ number, accountId, requestId, coolDown }] = changes;
    const { type, data } = coolDown
      ? accountsCooled({ number, requests: requestsOf(changes) })
      : AccountRecovered({ number, accountId, requestId });
    const event = { id: newEventId(), type, data, time: now(), actor: ACTOR, correlationId: requestId } as const;
    // A log that does not respond is reported by the requests that wait for it.
    record(event, () => this.#forget(changes)).catch(() => undefined);
  }

  /** Called with every event that was folded. */
  onFolded(event: RecordedEvent): void {
    if (this.#pending.size === 0) return;
    if (event.type !== 'AccountsCooled' && event.type !== 'AccountRecovered') return;
    if (this.#options.isOfThisStart(event.stream)) this.#forget(changesIn(event));
  }

  #forget(changes: readonly CoolDownChange[]): void {
    for (const { accountId, number } of changes) {
      if (this.#pending.get(accountId)?.number === number) this.#pending.delete(accountId);
    }
  }
}

/** Splits changes into those of one event each, in order. */
function partsOf(changes: readonly Change[]): [Change, ...Change[]][] {
  const parts: [Change, ...Change[]][] = [];
  for (const change of changes) {
    const last = parts.at(-1);
    const fits = change.coolDown && last?.[0].coolDown && last.length < MAX_ACCOUNTS;
    if (fits) last.push(change);
    else parts.push([change]);
  }
  return parts;
}

function requestsOf(changes: readonly Change[]): CooledByRequest[] {
  const requests: { requestId: string; accounts: CooledAccount[] }[] = [];
  for (const { accountId, coolDown, requestId } of changes) {
    if (!coolDown) continue;
    const last = requests.at(-1);
    const account = { accountId, ...coolDown };
    if (last?.requestId === requestId) last.accounts.push(account);
    else requests.push({ requestId, accounts: [account] });
  }
  return requests;
}
