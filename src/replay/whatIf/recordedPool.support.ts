import { importedAccount, NOW, usageSample, usageWindow } from '../../../test/support/specification.ts';
import { AccountDeleted, AccountImported, AccountPaused } from '../../domain/account/events.ts';
import { AccountUsageObserved } from '../../domain/accountUsage/events.ts';
import { ApiKeyCreated, ApiKeyLimitsChanged, ApiKeyUsageReset } from '../../domain/apiKey/events.ts';
import { accountsCooled } from '../../domain/coolDown/events.ts';
import {
  type AccountId,
  type ApiKeyId,
  type Instant,
  instant,
  microDollars,
  position,
} from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { ADMIT_VERSION, admit } from '../../domain/limits/admit.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import type { Consumption } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import { excludedPlans } from '../../domain/modelCatalogue/excludedPlans.ts';
import { type Attempt, type CompletedRequest, RequestCompleted, RequestRefused } from '../../domain/request/events.ts';
import { SELECT_VERSION, select, triedBy } from '../../domain/routing/select.ts';
import type { Settings } from '../../domain/settings/events.ts';
import { SettingsChanged } from '../../domain/settings/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';

/** A request as its client makes it, and what it uses wherever it is served. */
export interface Asked {
  readonly requestId: string;
  readonly keyId: ApiKeyId;
  readonly model: string;
  readonly conversation?: string | undefined;
  readonly tokens: number;
  /** What the first accounts that are tried answer; the next one succeeds. */
  readonly failures?: readonly ('throttled' | 'usage_limit')[] | undefined;
}

interface Open {
  readonly asked: Asked;
  readonly data: CompletedRequest;
  readonly amounts: readonly (readonly [ruleId: number, amount: number])[];
}

const STREAM = 'requests-n1.b1_20260115';

/** The estimate of a request is what it uses, so that what is reserved and what is counted agree. */
const consumptionOf = ({ tokens }: Asked): Consumption => ({
  inputTokens: tokens,
  outputTokens: tokens,
  costMicroDollars: tokens,
});

/** A pool that decides requests by the functions of the service and records them, with the time and the ends that a test sets. */
export class RecordedPool {
  readonly log: RecordedEvent[] = [];
  readonly hot = new HotState();
  now: Instant = NOW;
  #turn = 0;
  #coolDowns = 0;
  readonly #open: Open[] = [];

  append(event: DomainEvent, stream: string): void {
    const place = { stream, revision: this.log.length, position: position(this.log.length + 1), time: this.now };
    const full = { ...event, ...place } as RecordedEvent;
    this.log.push(full);
    this.hot.apply(full);
  }

  import(accountId: AccountId, planType = 'plus'): void {
    this.append(AccountImported(importedAccount({ accountId, planType })), `account-${accountId}`);
  }

  pause(accountId: AccountId): void {
    this.append(AccountPaused({ accountId, from: 'active' }), `account-${accountId}`);
  }

  delete(accountId: AccountId): void {
    if (this.hot.accounts.has(accountId)) this.append(AccountDeleted({ accountId }), `account-${accountId}`);
  }

  createKey(keyId: ApiKeyId, rules: LimitRule[]): void {
    const value = { hash: keyId.replaceAll('-', '').padEnd(64, '0'), prefix: 'sk-svc' };
    this.append(
      ApiKeyCreated({ keyId, ...value, name: 'key', allowedModels: null, expiresAt: null, rules }),
      `apiKey-${keyId}`,
    );
  }

  changeLimits(keyId: ApiKeyId, to: LimitRule[]): void {
    const from = [...(this.hot.apiKeys.get(keyId)?.rules ?? [])];
    this.append(ApiKeyLimitsChanged({ keyId, name: 'key', from, to }), `apiKey-${keyId}`);
  }

  resetUsage(keyId: ApiKeyId): void {
    this.append(ApiKeyUsageReset({ keyId, name: 'key' }), `apiKey-${keyId}`);
  }

  set(to: Partial<Settings>): void {
    this.append(SettingsChanged({ from: {}, to }), 'settings-main');
  }

  report(accountId: AccountId, primary: number, { secondary = primary, days = 1 } = {}): void {
    const resetAt = instant(NOW + days * 86_400_000);
    const sample = usageSample(usageWindow(primary, resetAt), usageWindow(secondary, resetAt));
    this.append(AccountUsageObserved({ accountId, ...sample }), `accountUsage-${accountId}_202601`);
  }

  /** Admits a request and calls accounts; it stays open until `end`. */
  ask(asked: Asked): void {
    const { requestId, keyId, model, conversation } = asked;
    const { hot, now } = this;
    const digest = hot.settings.stickyThreadsEnabled ? conversation : undefined;
    const resolvedTo = digest === undefined ? undefined : (hot.pins.get(digest, hot.position) ?? null);
    const base = { requestId, keyId, route: '/v1/responses', model, effort: null, requestedAt: now };
    const rules = hot.apiKeys.get(keyId)?.rules ?? [];
    const estimate = consumptionOf(asked);
    const asOf = windowsTime(hot.windowsClock, now);
    const verdict = admit({
      ...{ rules, model, estimate, now: asOf },
      counters: hot.counters.get(keyId),
      reservedOn: (ruleId) => this.#reservedOn(keyId, ruleId, asOf),
    });
    const reserved = verdict.alreadyReserved.map(([ruleId, amount]): [string, null, number, number] => [
      'key',
      null,
      ruleId,
      amount,
    ]);
    const admission = rules.length > 0 && {
      admission: { decidedAt: hot.position, asOf, v: ADMIT_VERSION, estimate, reserved },
    };
    if (verdict.kind === 'refused') {
      const { rule, counted, reserved, ceiling } = verdict;
      const limit = { level: 'key', subject: keyId, ruleId: rule.id, counted, reserved, ceiling };
      const error = { status: '429', errorCode: 'rate_limit_exceeded', errorMessage: 'limit', latencyMs: 1 };
      this.append(RequestRefused({ ...base, ...admission, ...error, decidedAt: hot.position, limit }), STREAM);
      return;
    }
    const { attempts, refusal, isFallback } = this.#call(asked, digest, resolvedTo ?? undefined);
    const isServed = attempts.at(-1)?.outcome === 'ok';
    const { tokens } = asked;
    this.#open.push({
      asked,
      amounts: verdict.reservations,
      data: {
        ...base,
        ...admission,
        status: isServed ? '200' : '503',
        errorCode: isServed ? null : 'no_account',
        errorMessage: null,
        accountId: attempts.at(-1)?.accountId ?? null,
        latencyMs: 1,
        firstByteMs: null,
        usage: isServed
          ? { inputTokens: tokens, outputTokens: tokens, cachedInputTokens: 0, reasoningTokens: 0, isEstimated: false }
          : null,
        costMicroDollars: isServed ? microDollars(tokens) : null,
        priceVersion: null,
        ...(digest !== undefined && { pin: { digest, isFallback, resolvedTo: resolvedTo ?? null } }),
        attempts,
        ...(refusal && { refusal }),
      },
    });
  }

  /** Ends the request that has been open for longest. */
  end(): void {
    const open = this.#open.shift();
    if (open) this.append(RequestCompleted(open.data), STREAM);
  }

  endAll(): void {
    while (this.#open.length > 0) this.end();
  }

  /** What open requests that were admitted in the same window reserve. */
  #reservedOn(keyId: ApiKeyId, ruleId: number, at: Instant): number {
    const rule = this.hot.apiKeys.get(keyId)?.rules.find(({ id }) => id === ruleId) as LimitRule;
    let sum = 0;
    for (const { asked, amounts, data } of this.#open) {
      const isSame = windowIndexAt(rule, data.admission?.asOf ?? data.requestedAt) === windowIndexAt(rule, at);
      if (asked.keyId === keyId && isSame) for (const [id, amount] of amounts) if (id === ruleId) sum += amount;
    }
    return sum;
  }

  #call({ requestId, model, failures = [] }: Asked, digest: string | undefined, pinned: AccountId | undefined) {
    const attempts: Attempt[] = [];
    for (;;) {
      const { hot, now } = this;
      const selection = select({
        ...{ accounts: hot.accounts, usage: hot.usage, settings: hot.settings, coolDowns: hot.coolDowns, now },
        pinnedTo: pinned,
        excludedPlans: excludedPlans(hot.models, model),
        regions: undefined,
        seed: digest ?? requestId,
        tried: triedBy(attempts),
        turn: this.#turn++,
      });
      const basis = {
        decidedAt: hot.position,
        asOf: now,
        v: SELECT_VERSION,
        ...(selection.overlay && { overlay: selection.overlay }),
      };
      if (selection.kind === 'none')
        return { attempts, refusal: { ...basis, reason: selection.reason }, isFallback: false };
      const outcome = failures[attempts.length] ?? 'ok';
      const { accountId, isFallback } = selection;
      const limitedUntil =
        outcome === 'usage_limit' ? { limitedUntil: instant(now + 60_000), code: 'usage_limit_reached' } : {};
      attempts.push({ ...basis, accountId, startedAt: now, endedAt: now, outcome, ...limitedUntil });
      if (outcome === 'ok') return { attempts, refusal: undefined, isFallback };
      this.#cool(accountId, requestId, outcome);
    }
  }

  #cool(accountId: AccountId, requestId: string, cause: string): void {
    this.#coolDowns += 1;
    const coolDown = {
      accountId,
      since: this.now,
      until: instant(this.now + 7_000),
      cause,
      failures: cause === 'usage_limit' ? 0 : 1,
    };
    this.append(accountsCooled({ number: this.#coolDowns, requests: [{ requestId, accounts: [coolDown] }] }), STREAM);
  }
}
