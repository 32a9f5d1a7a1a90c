import { type AccountId, type ApiKeyId, type Instant, position } from '../../../src/domain/core/brands.ts';
import type { DomainEvent } from '../../../src/domain/core/event.ts';
import type { Attempt } from '../../../src/domain/request/events.ts';
import { completed, refused } from '../../support/management.ts';
import { DAY, earlier, HOUR, NOW } from '../../support/specification.ts';

export const accounts = ['a', 'b', 'c'] as AccountId[];
export const models = ['gpt-5', 'gpt-5.1'];
export const efforts = [null, 'low', 'high'];
export const statuses = ['200', '429', 'error'];
export const apiKeyIds = [1, 2].map((n) => `${String(n).repeat(8)}-1111-4111-8111-111111111111`) as ApiKeyId[];
export const clients = ['codex_exec', 'curl'];
export const conversations = ['c1', 'c2', 'c3'];

/** The fields of a request that say where it came from, in the order in which events have them. */
function randomSource(random: () => number) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const maybe = <Value>(values: readonly Value[]) => (random() < 0.3 ? undefined : pick(values));
  const [conversation, other] = [maybe(conversations), pick(conversations)];
  const isNamed = random() < 0.8;
  return {
    keyId: maybe(apiKeyIds) ?? null,
    ...Object.fromEntries(
      Object.entries({
        owner: maybe(['Ada', 'Bob']),
        team: maybe(['t1', 't2']),
        transport: random() < 0.1 ? 'websocket' : undefined,
        conversation,
        otherConversations: conversation && random() < 0.2 && other !== conversation ? [other] : undefined,
        client: isNamed ? { addressDigest: pick(['d1', 'd2']), name: maybe(clients), version: '1.0' } : undefined,
      }).filter(([, value]) => value !== undefined),
    ),
  };
}

export type RequestEvent = DomainEvent & (ReturnType<typeof completed> | ReturnType<typeof refused>);

/** Requests of the last 100 days in random order, most of them of the last hours, some at the same moment. */
export function randomRequests(count: number, random: () => number): RequestEvent[] {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const triedBefore = () =>
    random() < 0.6 ? [] : Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(accounts));
  return Array.from({ length: count }, (_, index) => {
    const age = random() < 0.5 ? random() * 5 * HOUR : random() * 100 * DAY;
    const requestedAt = earlier(random() < 0.1 ? Math.floor(age / HOUR) * HOUR : Math.floor(age));
    const source = randomSource(random);
    const common = { requestId: `req_${index}`, model: pick(models), effort: pick(efforts), requestedAt, ...source };
    if (random() < 0.1) return refused({ ...common, errorMessage: `refused ${index % 7}` });
    const accountId = random() < 0.05 ? null : pick(accounts);
    const attempts = accountId === null ? [] : attemptsOf([...triedBefore(), accountId]);
    if (random() < 0.8) return completed({ ...common, accountId, attempts });
    const failure = { status: pick(['429', 'error']), errorCode: 'upstream_error', errorMessage: `broke ${index % 5}` };
    return completed({ ...common, accountId, attempts, ...failure, usage: null, costMicroDollars: null });
  });
}

/** Attempts with these accounts, of which the last one succeeds. */
export const attemptsOf = (accountIds: readonly AccountId[]): Attempt[] =>
  accountIds.map((accountId, index) => ({
    decidedAt: position(1),
    asOf: NOW,
    v: 3,
    accountId,
    startedAt: NOW,
    endedAt: NOW,
    outcome: index === accountIds.length - 1 ? 'ok' : 'provider_error',
  }));

/** The accounts that a request has tried, its own included. */
export const triedBy = ({ data }: RequestEvent): string[] =>
  'attempts' in data ? [...new Set(data.attempts.map(({ accountId }) => accountId))] : [];

/** Sorts requests as pages do: latest first, then by descending position. */
export const newestFirst = (events: readonly RequestEvent[]): RequestEvent[] =>
  events
    .map((event, index) => ({ event, index }))
    .sort((a, b) => b.event.data.requestedAt - a.event.data.requestedAt || b.index - a.index)
    .map(({ event }) => event);

export const accountOf = ({ data }: RequestEvent): string | null => ('accountId' in data ? data.accountId : null);

/** A moment of the last 100 days, often the start of an hour, a day or a month. */
export function randomMoment(random: () => number): Instant {
  const at = earlier(Math.floor(random() * 100 * DAY));
  const unit = [1, HOUR, DAY, 0][Math.floor(random() * 4)] as number;
  if (unit > 0) return (at - (at % unit)) as Instant;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) as Instant;
}
