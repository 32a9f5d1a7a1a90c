import { join } from 'node:path';
import { AccountUsageObserved } from '../../../src/domain/accountUsage/events.ts';
import { type AccountId, type ApiKeyId, instant, microDollars } from '../../../src/domain/core/brands.ts';
import type { EventOf } from '../../../src/domain/core/event.ts';
import { newEventId } from '../../../src/eventLog/eventId.ts';
import type { EventToAppend } from '../../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import type { Gateway } from '../../support/gateway.ts';
import { completed } from '../../support/management.ts';
import { seededRandom } from '../../support/random.ts';

const HOUR = 3_600_000;
const HOURS = 7 * 24;
/** One of them has a name that is longer than its room in most places. */
const MODELS = ['gpt-5.1', 'gpt-5.5', 'gpt-5.4-nano-codex-preview-2026-11-19'];

/**
 * Writes a week of requests into the log, more by day than by night, with the usage samples of the accounts. The service is
 * stopped in the meantime.
 */
export async function writePastRequests(
  gateway: Gateway,
  accountIds: readonly string[],
  keyIds: readonly string[],
): Promise<void> {
  const events = eventsOfAWeek(Date.now(), accountIds, keyIds);
  const samples = samplesOfAWeek(Date.now(), accountIds);
  // Append the latest samples again, so that they remain the latest.
  const latest = gateway.events('AccountUsageObserved').map(({ data }) => observed(data, Date.now()));
  await gateway.stopService();
  const log = await createSqliteEventLog({ path: join(gateway.folder, 'log.sqlite'), node: 'past' });
  const outcomes = [
    await log.append('requests-past.0001_20260101', -1, events),
    await log.append('accountUsage-past_202601', -1, [...samples, ...latest]),
  ];
  await log.close();
  for (const { kind } of outcomes) if (kind !== 'committed') throw new Error(kind);
  await gateway.restart();
}

type Observed = EventOf<typeof AccountUsageObserved>['data'];

const observed = (data: Observed, time: number): EventToAppend => ({
  ...AccountUsageObserved(data),
  id: newEventId(),
  time: instant(Math.floor(time)),
  actor: { kind: 'system', reason: 'usage' },
  correlationId: 'past',
});

/** One sample per account and hour: primary windows of five hours, and a secondary window of a week. */
function samplesOfAWeek(now: number, accountIds: readonly string[]): EventToAppend[] {
  const random = seededRandom(2);
  const window = (usedPercent: number, windowMinutes: number) => ({
    usedPercent: Math.min(100, Math.floor(usedPercent)),
    resetAt: null,
    windowMinutes,
  });
  return Array.from({ length: HOURS - 1 }, (_, index) => HOURS - index).flatMap((hoursAgo) =>
    accountIds.map((accountId, nth) => {
      const primary = window((hoursAgo + nth) % 5 === 0 ? 5 : (5 - ((hoursAgo + nth) % 5)) * (12 + 8 * random()), 300);
      const secondary = window(((HOURS - hoursAgo + nth * 31) % HOURS) * 0.55, 10_080);
      return observed({ accountId: accountId as AccountId, primary, secondary, credits: null }, now - hoursAgo * HOUR);
    }),
  );
}

function eventsOfAWeek(now: number, accountIds: readonly string[], keyIds: readonly string[]): EventToAppend[] {
  const random = seededRandom(1);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const moments = Array.from({ length: HOURS }, (_, hour) => {
    const busy = 1.2 + Math.sin(((new Date(now - hour * HOUR).getUTCHours() - 8) / 24) * 2 * Math.PI);
    return Array.from({ length: Math.floor(busy * 24 * random()) + 1 }, () => now - (hour + random()) * HOUR);
  });
  return moments
    .flat()
    .sort((a, b) => a - b)
    .map((moment) => {
      const requestedAt = instant(Math.floor(moment));
      const failed = random() < 0.04;
      const inputTokens = 4_000 + Math.floor(random() * 60_000);
      const { type, data } = completed({
        keyId: pick(keyIds) as ApiKeyId,
        accountId: pick(accountIds) as AccountId,
        model: pick(MODELS),
        effort: pick(['medium', 'high']),
        requestedAt,
        latencyMs: 900 + Math.floor(random() * 14_000),
        ...(failed
          ? {
              status: 'error',
              errorCode: pick(['stream_interrupted', 'upstream_error']),
              errorMessage: 'The provider closed the connection before the response was complete.',
              usage: null,
              costMicroDollars: null,
            }
          : {
              usage: {
                inputTokens,
                cachedInputTokens: Math.floor(inputTokens * random() * 0.8),
                outputTokens: 200 + Math.floor(random() * 3_000),
                reasoningTokens: 100,
                isEstimated: false,
              },
              costMicroDollars: microDollars(Math.floor(inputTokens * 1.4)),
            }),
      });
      const actor = { kind: 'system', reason: 'test' } as const;
      return { id: newEventId(), type, data, time: requestedAt, actor, correlationId: data.requestId };
    });
}
