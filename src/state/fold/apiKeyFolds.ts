import type { ApiKeyEvent } from '../../domain/apiKey/events.ts';
import * as apiKey from '../../domain/apiKey/state.ts';
import { windowsClock } from '../../domain/clock/decide.ts';
import type { ClockEvent } from '../../domain/clock/events.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import type { Recorded } from '../../domain/core/event.ts';
import { count, type KeyCounters, mergeLaterWindows, newCounters } from '../../domain/limits/counters.ts';
import { advanceTo, countedAt, type WindowsClock } from '../../domain/limits/windowsClock.ts';
import { consumptionOf } from '../../domain/request/consumption.ts';
import type { AnswerHistory } from './answerHistory.ts';
import type { FoldedRequest } from './foldedEvent.ts';

/** The parts of the hot state that are about API keys. */
export interface ApiKeyFolds {
  windowsClock: WindowsClock;
  readonly apiKeys: Map<ApiKeyId, apiKey.ApiKey>;
  readonly keyIdByHash: Map<string, ApiKeyId>;
  readonly counters: Map<ApiKeyId, KeyCounters>;
  readonly answers: AnswerHistory;
}

/** Counters are removed with their key and with the rules they belong to; the lengths of its answers with the key. */
export function evolveKey(folds: ApiKeyFolds, event: Recorded<ApiKeyEvent>): void {
  const { keyId } = event.data;
  const before = folds.apiKeys.get(keyId);
  const after = apiKey.evolve(before, event);
  if (before && before.hash !== after?.hash) folds.keyIdByHash.delete(before.hash);
  if (!after) {
    folds.apiKeys.delete(keyId);
    folds.counters.delete(keyId);
    folds.answers.forget(keyId);
    return;
  }
  folds.apiKeys.set(keyId, after);
  folds.keyIdByHash.set(after.hash, keyId);
  // A window must not be older than the rule that it belongs to.
  for (const { createdAt } of after.rules) folds.windowsClock = advanceTo(folds.windowsClock, createdAt);
  const counters = folds.counters.get(keyId);
  if (event.type === 'ApiKeyUsageReset') counters?.byRule.clear();
  if (event.type === 'ApiKeyLimitsChanged' && counters) {
    const kept = new Set(after.rules.map(({ id }) => id));
    for (const ruleId of counters.byRule.keys()) if (!kept.has(ruleId)) counters.byRule.delete(ruleId);
  }
}

/** Counts a completed request against the rules of its key. */
export function countRequest(folds: ApiKeyFolds, key: apiKey.ApiKey, request: FoldedRequest): void {
  let counters = folds.counters.get(key.id);
  if (!counters) {
    counters = newCounters();
    folds.counters.set(key.id, counters);
  }
  const { model } = request;
  const admittedAt = countedAt(folds.windowsClock, request);
  count(counters, key.rules, { model, admittedAt, consumption: consumptionOf(request) });
}

/**
 * Sets the windows' clock to the accepted time. What was counted in later windows counts in the current one, and limits that
 * were created later begin now.
 */
export function acceptClock(folds: ApiKeyFolds, event: Recorded<ClockEvent>): void {
  folds.windowsClock = windowsClock.evolve(folds.windowsClock, event);
  const { to: now } = event.data;
  for (const [keyId, key] of folds.apiKeys) {
    const isAhead = key.rules.some(({ createdAt }) => createdAt > now);
    const rules = isAhead
      ? key.rules.map((rule) => (rule.createdAt > now ? { ...rule, createdAt: now } : rule))
      : key.rules;
    if (isAhead) folds.apiKeys.set(keyId, { ...key, rules });
    const counters = folds.counters.get(keyId);
    if (counters) mergeLaterWindows(counters, rules, now);
  }
}

/** Moves the windows' clock to the time at which a request was admitted or refused by limits. */
export function followAdmission(folds: ApiKeyFolds, request: Parameters<typeof countedAt>[1]): void {
  if (request.admission === undefined) return;
  folds.windowsClock = advanceTo(folds.windowsClock, countedAt(folds.windowsClock, request));
}
