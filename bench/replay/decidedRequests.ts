import { hash } from 'node:crypto';
import { AccountImported } from '../../src/domain/account/events.ts';
import { type AccountId, type Instant, position, type Sealed } from '../../src/domain/core/brands.ts';
import { ADMIT_VERSION, admit } from '../../src/domain/limits/admit.ts';
import { windowsTime } from '../../src/domain/limits/windowsClock.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import { SELECT_VERSION, select } from '../../src/domain/routing/select.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import type { EventToAppend, RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { HotState } from '../../src/state/fold/hotState.ts';
import { completedRequest, keyEvents } from '../startup/completedRequests.ts';

const ACCOUNTS = 50;
/** Requests that are open at a time: a request ends so many requests after it was decided. */
const OPEN = 50;
const STREAM = 'requests-bench.b1_20260101';
const NONE: ReadonlySet<never> = new Set();

/**
 * The requests of a gateway with 50 accounts and 20 keys, decided by the functions of the service, so that a replay repeats
 * them: with three limits for each key, conversations, and 50 requests open at a time.
 */
export function* decidedRequests(count: number): Generator<EventToAppend & { readonly stream: string }> {
  const hot = new HotState();
  const open: EventToAppend[] = [];
  const record = (event: EventToAppend, stream: string) => {
    const place = { stream, revision: 0, position: position(hot.position + 1) };
    hot.apply({ ...event, ...place } as unknown as RecordedEvent);
    return { ...event, stream };
  };
  for (const event of [...accountEvents(), ...keyEvents()]) yield record(event, streamOf(event));
  for (let index = 1; index <= count; index++) {
    open.push(decided(hot, completedRequest(index)));
    if (open.length > OPEN) yield record(open.shift() as EventToAppend, STREAM);
  }
  for (const event of open) yield record(event, STREAM);
}

function decided(hot: HotState, event: EventToAppend): EventToAppend {
  const data = event.data as CompletedRequest;
  const { requestedAt, model, pin, requestId } = data;
  const decidedAt = hot.position;
  const key = data.keyId === null ? undefined : hot.apiKeys.get(data.keyId);
  const asOf = windowsTime(hot.windowsClock, requestedAt);
  const estimate = { inputTokens: data.usage?.inputTokens ?? 0, outputTokens: 2_048, costMicroDollars: 30_000 };
  const reservedOn = (ruleId: number): number => ruleId * 4_096;
  const counters = key && hot.counters.get(key.id);
  const { alreadyReserved } = admit({ rules: key?.rules ?? [], model, counters, reservedOn, estimate, now: asOf });
  const resolvedTo = pin && (hot.pins.get(pin.digest, decidedAt) ?? null);
  const selection = select({
    ...{ accounts: hot.accounts, usage: hot.usage, settings: hot.settings, coolDowns: hot.coolDowns },
    ...{ excludedPlans: NONE, regions: undefined, tried: NONE, turn: 0, now: requestedAt },
    pinnedTo: resolvedTo ?? undefined,
    seed: pin?.digest ?? requestId,
  });
  const accountId = selection.kind === 'chosen' ? selection.accountId : ('' as AccountId);
  const decision = <Version>(v: Version) => ({ decidedAt, asOf: requestedAt, v });
  return {
    ...event,
    data: {
      ...data,
      accountId,
      admission: {
        ...decision(ADMIT_VERSION),
        asOf,
        estimate,
        reserved: alreadyReserved.map(([ruleId, amount]) => ['key', null, ruleId, amount]),
      },
      pin: pin && { ...pin, resolvedTo },
      attempts: data.attempts.map((attempt) => ({ ...attempt, ...decision(SELECT_VERSION), accountId })),
    } satisfies CompletedRequest,
  };
}

const streamOf = ({ type, data }: EventToAppend): string => {
  const { accountId, keyId } = data as { accountId?: string; keyId?: string };
  return type.startsWith('Account') ? `account-${accountId}` : `apiKey-${keyId}`;
};

/** The imports of the accounts. */
export function accountEvents(): EventToAppend[] {
  const { time } = keyEvents()[0] as EventToAppend;
  const sealed = 'sealed.bench' as Sealed;
  const tokens = {
    access: sealed,
    refresh: sealed,
    idToken: sealed,
    accessExpiresAt: null,
    refreshedAt: time as Instant,
  };
  return Array.from({ length: ACCOUNTS }, (_, index) => ({
    ...AccountImported({
      accountId: accountIdOf(index),
      upstreamAccountId: `bench ${index}`,
      email: null,
      displayName: null,
      planType: index % 3 === 0 ? 'pro' : 'plus',
      hasReadableIdToken: true,
      tokens,
    }),
    id: newEventId(),
    time,
    actor: { kind: 'system', reason: 'bench' },
    correlationId: 'bench',
  }));
}

/** The first account, for a what-if without it. */
export const firstAccount = (): AccountId => accountIdOf(0);

const accountIdOf = (index: number): AccountId => `acc_${hash('sha256', `account ${index}`).slice(0, 16)}` as AccountId;
