import type { AccountId } from '../../domain/core/brands.ts';
import type { LimitRuleInput } from '../../domain/limits/changeRules.ts';
import type { PriceTable } from '../../domain/pricing/prices.ts';
import type { Settings } from '../../domain/settings/events.ts';

/** The settings that decide where a request goes. */
export type SimulatedSettings = Pick<
  Settings,
  'routingStrategy' | 'preferEarlierResetAccounts' | 'stickyThreadsEnabled'
>;

/** A window of usage of an account that the simulation adds. */
export interface PlusWindow {
  /** Percent used when the period begins. */
  readonly usedPercent: number;
  readonly windowMinutes: number;
  /** The size of the window, by which usage of the other accounts is converted (docs/provider.md#plan-credits). */
  readonly credits: number;
}

/** An account that the simulation adds to the pool. */
export interface PlusAccount {
  readonly id: AccountId;
  readonly planType: string;
  readonly primary: PlusWindow;
  readonly secondary: PlusWindow;
}

/** Stands for every key that is not named. */
export const EVERY_KEY = '*';

/** What a simulation does differently from the first request of the period to the last. Plain data, also between threads. */
export interface WhatIf {
  readonly settings?: { readonly [Name in keyof SimulatedSettings]?: SimulatedSettings[Name] | undefined } | undefined;
  /** The limits of API keys, by id; `*` for every other key. */
  readonly limits?: { readonly keys: Readonly<Record<string, readonly LimitRuleInput[]>> } | undefined;
  readonly prices?: PriceTable | undefined;
  readonly withoutAccounts?: readonly AccountId[] | undefined;
  readonly plusAccounts?: readonly PlusAccount[] | undefined;
  /** Names of given settings that change no decision. */
  readonly ineffectiveSettings?: readonly string[] | undefined;
}

/** A what-if that cannot be simulated; the message says what to do. */
export class InvalidWhatIf extends Error {
  override readonly name = 'InvalidWhatIf';
  readonly code = 'INVALID_WHAT_IF';
}

/** The limits that a key has in the simulation; undefined when they are those that were recorded. */
export const limitsOf = ({ limits }: WhatIf, keyId: string): readonly LimitRuleInput[] | undefined =>
  limits && (Object.hasOwn(limits.keys, keyId) ? limits.keys[keyId] : limits.keys[EVERY_KEY]);
