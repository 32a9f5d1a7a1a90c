import type { ApiKeyId, Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { LimitRule } from '../limits/limitRule.ts';
import type { ApiKeyEvent } from './events.ts';

export interface ApiKey {
  readonly id: ApiKeyId;
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits; the key itself is never stored. */
  readonly hash: string;
  readonly prefix: string;
  /** Null: every model. */
  readonly allowedModels: readonly string[] | null;
  readonly expiresAt: Instant | null;
  readonly isActive: boolean;
  readonly createdAt: Instant;
  readonly rules: readonly LimitRule[];
  /** Ids of rules are never reused, so that no rule inherits the counter of another. */
  readonly nextRuleId: number;
}

/** `undefined`: never created, or deleted. */
export type ApiKeyState = ApiKey | undefined;

export const initialState: ApiKeyState = undefined;

export function evolve(key: ApiKeyState, event: Recorded<ApiKeyEvent>): ApiKeyState {
  if (event.type === 'ApiKeyCreated') {
    const { keyId: id, rules, ...data } = event.data;
    return { ...data, id, rules, isActive: true, createdAt: event.time, nextRuleId: nextId(1, rules) };
  }
  return key && evolveExisting(key, event);
}

function evolveExisting(
  key: ApiKey,
  { type, data }: Exclude<Recorded<ApiKeyEvent>, { type: 'ApiKeyCreated' }>,
): ApiKeyState {
  switch (type) {
    case 'ApiKeyRenamed':
      return { ...key, name: data.to };
    case 'ApiKeyModelsChanged':
      return { ...key, allowedModels: data.to };
    case 'ApiKeyExpiryChanged':
      return { ...key, expiresAt: data.to };
    case 'ApiKeyActivated':
      return { ...key, isActive: true };
    case 'ApiKeyDeactivated':
      return { ...key, isActive: false };
    case 'ApiKeyLimitsChanged':
      return { ...key, rules: data.to, nextRuleId: nextId(key.nextRuleId, data.to) };
    case 'ApiKeyUsageReset':
      return key;
    case 'ApiKeyRegenerated':
      return { ...key, ...data.to };
    case 'ApiKeyDeleted':
      return undefined;
  }
}

const nextId = (lowest: number, rules: readonly LimitRule[]) => Math.max(lowest, ...rules.map((rule) => rule.id + 1));
