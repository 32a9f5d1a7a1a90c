import type { ApiKeyEvent } from '../../domain/apiKey/events.ts';
import * as apiKey from '../../domain/apiKey/state.ts';
import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import type { Recorded } from '../../domain/core/event.ts';
import { newCounters } from '../../domain/limits/counters.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import type { AnswerHistory } from './answerHistory.ts';
import { type CounterChange, followRules, type LimitFolds } from './limitFolds.ts';

/** The parts of the hot state that are about API keys. */
export interface ApiKeyFolds extends LimitFolds {
  readonly keyIdByHash: Map<string, ApiKeyId>;
  readonly answers: AnswerHistory;
}

const changes: Readonly<Record<string, CounterChange>> = { ApiKeyLimitsChanged: 'rules', ApiKeyUsageReset: 'reset' };

/** Continues what another program has counted, in the windows that last at `time`. */
function countUsed(
  { counters, windowsClock }: ApiKeyFolds,
  key: apiKey.ApiKey,
  used: readonly { readonly ruleId: number; readonly amount: number }[],
  time: Instant,
): void {
  const counted = newCounters();
  const now = windowsTime(windowsClock, time);
  for (const { ruleId, amount } of used) {
    const rule = key.rules.find(({ id }) => id === ruleId);
    if (rule && amount > 0) counted.byRule.set(ruleId, [windowIndexAt(rule, now), amount]);
  }
  if (counted.byRule.size > 0) counters.set(key.id, counted);
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
  followRules(folds, keyId, after.rules, changes[event.type]);
  if (event.type === 'ApiKeyCreated' && event.data.used) countUsed(folds, after, event.data.used, event.time);
}
