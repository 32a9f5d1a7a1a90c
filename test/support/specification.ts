import { expect } from 'vitest';
import { z } from 'zod';
import type { ImportedAccount, SealedCredentials } from '../../src/domain/account/events.ts';
import type { UsageSample, UsageWindow } from '../../src/domain/accountUsage/events.ts';
import {
  type AccountId,
  type ApiKeyId,
  type Instant,
  instant,
  position,
  type Sealed,
} from '../../src/domain/core/brands.ts';
import type { Context } from '../../src/domain/core/decider.ts';
import type { ErrorCode } from '../../src/domain/core/errorCodes.ts';
import type { DomainEvent } from '../../src/domain/core/event.ts';
import { Refusal } from '../../src/domain/core/refusal.ts';
import { eventTypes } from '../../src/domain/eventTypes.ts';
import type { IpAddress } from '../../src/domain/firewall/ipAddress.ts';
import type { LimitRule } from '../../src/domain/limits/limitRule.ts';

/** The default time of commands: 2026-01-15T12:00:00Z. Given events happened within the hour before. */
export const NOW = instant(Date.UTC(2026, 0, 15, 12));
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const later = (ms: number, since: Instant = NOW): Instant => instant(since + ms);
export const earlier = (ms: number, before: Instant = NOW): Instant => instant(before - ms);

/** The event with the time `time` instead of its default within the hour before `NOW`. */
export const at = <Event extends DomainEvent>(time: Instant, event: Event): Event => ({ ...event, time });

interface Rules<State, Command, Produced extends DomainEvent, Folded extends DomainEvent> {
  readonly decide: (command: Command, state: State, context: Context) => readonly Produced[];
  readonly evolve: (state: State, event: Folded) => State;
  readonly initialState: State;
}

/** An unrecorded event, from the recorded one. */
type Fact<Folded> = Folded extends { type: infer Type extends string; data: infer Data }
  ? DomainEvent<Type, Data>
  : never;

/**
 * Tests of rules: `given(...events).when(command).then(...events)` or `.refuses(code)`. State and command are frozen, so
 * that a rule that changes its input fails; every produced event is validated by its schema.
 */
export function specification<State, Command, Produced extends DomainEvent, Folded extends DomainEvent>({
  decide,
  evolve,
  initialState,
}: Rules<State, Command, Produced, Folded>) {
  const fold = (events: readonly DomainEvent[]): State =>
    events.map(recorded).reduce((state, event) => deepFreeze(evolve(state, event as unknown as Folded)), initialState);

  const validated = (produced: readonly Produced[]): readonly Produced[] => {
    for (const { type, data } of produced) eventTypes.get(type)?.data(z).parse(data);
    return produced;
  };

  const given = (...events: readonly Fact<Folded>[]) => ({
    /** The state after these events. */
    state: () => fold(events),
    when(command: Command, { now = NOW, windowsNow = now }: Partial<Context> = {}) {
      const decided = () => decide(deepFreeze(command), fold(events), { now, windowsNow });
      return {
        // biome-ignore lint/suspicious/noThenProperty: ends the chain; nothing awaits the object
        then(...expected: readonly Produced[]): void {
          expect(validated(decided())).toEqual(expected);
        },
        /** The new events, where a test looks at them more closely than `then` does. */
        events: () => validated(decided()),
        refuses(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}): void {
          const refusal = refusalOf(decided);
          expect(refusal.code).toBe(code);
          expect(refusal.details).toMatchObject(details);
        },
        /** The state after the new events, at the time of the command. */
        state: () => fold([...events, ...decided().map((event) => at(now, event))]),
      };
    },
  });
  return { given, when: given().when };
}

/** Gives an event a place in the log and a time. */
export function recorded<Event extends DomainEvent>(event: Event, index = 0) {
  const place = { position: position(index + 1), stream: 'subject-1', revision: index };
  return { ...place, time: instant(NOW - HOUR + index * 1_000), ...event };
}

function refusalOf(action: () => unknown): Refusal {
  let outcome: unknown;
  try {
    outcome = action();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(outcome)}`);
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

export const ip = (text: string) => text as IpAddress;
export const sealed = (text: string) => `sealed.${text}` as Sealed;
export const accountId = (name: string | number) => `account_${name}` as AccountId;
/** A UUID that ends in `n`. */
export const keyId = (n = 1) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as ApiKeyId;
export const uuid = (n: number): string => keyId(n);
/** A password hash in the form of scrypt-kdf: 96 bytes in base64. */
export const passwordHash = (digit: string) => digit.repeat(128);
export const hash = (digit: string) => digit.repeat(64);

export const tokens = (name = 'first', refreshedAt: Instant = NOW): SealedCredentials => ({
  access: sealed(`${name}.access`),
  refresh: sealed(`${name}.refresh`),
  idToken: sealed(`${name}.id`),
  accessExpiresAt: later(HOUR, refreshedAt),
  refreshedAt,
});

export const importedAccount = (changes: Partial<ImportedAccount> = {}): ImportedAccount => ({
  accountId: accountId(1),
  upstreamAccountId: 'upstream_1',
  email: sealed('email'),
  displayName: null,
  planType: 'plus',
  hasReadableIdToken: true,
  tokens: tokens(),
  ...changes,
});

export const limitRule = (changes: Partial<LimitRule> = {}): LimitRule => ({
  id: 1,
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1_000,
  modelFilter: null,
  createdAt: NOW,
  onExceeded: 'finish',
  ...changes,
});

export const usageWindow = (usedPercent: number, resetAt: Instant | null = later(HOUR)): UsageWindow => ({
  usedPercent,
  resetAt,
  windowMinutes: null,
});

export const usageSample = (primary: UsageWindow | null, secondary: UsageWindow | null = null): UsageSample => ({
  primary,
  secondary,
  credits: null,
});
