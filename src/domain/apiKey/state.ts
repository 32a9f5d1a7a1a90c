import type { ApiKeyId, Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import { type Limited, withRules } from '../limits/changeRules.ts';
import type { ApiKeyEvent } from './events.ts';

export interface ApiKey extends Limited {
  readonly id: ApiKeyId;
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits; the key itself is never stored. */
  readonly hash: string;
  readonly prefix: string;
  /** Null: every model. */
  readonly allowedModels: readonly string[] | null;
  /** The regions in which its requests may be served, in lower case; absent: all. */
  readonly regions?: readonly string[] | undefined;
  readonly expiresAt: Instant | null;
  readonly isActive: boolean;
  readonly createdAt: Instant;
  /** An operator's id or a free text; absent: none. */
  readonly owner?: string | undefined;
  /** The id of its team; absent: none. A team that was deleted at the same moment limits nothing. */
  readonly team?: string | undefined;
}

/** `undefined`: never created, or deleted. */
export type ApiKeyState = ApiKey | undefined;

export const initialState: ApiKeyState = undefined;

export function evolve(key: ApiKeyState, event: Recorded<ApiKeyEvent>): ApiKeyState {
  if (event.type === 'ApiKeyCreated') {
    const { keyId: id, rules, used: _, ...data } = event.data;
    return { ...data, id, isActive: true, createdAt: event.time, ...withRules({ nextRuleId: 1 }, rules) };
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
    case 'ApiKeyRegionsChanged':
      return { ...key, regions: data.to ?? undefined };
    case 'ApiKeyExpiryChanged':
      return { ...key, expiresAt: data.to };
    case 'ApiKeyActivated':
      return { ...key, isActive: true };
    case 'ApiKeyDeactivated':
      return { ...key, isActive: false };
    case 'ApiKeyLimitsChanged':
      return { ...key, ...withRules(key, data.to) };
    case 'ApiKeyUsageReset':
      return key;
    case 'ApiKeyRegenerated':
      return { ...key, ...data.to };
    case 'ApiKeyOwnerChanged':
      return { ...key, owner: data.to ?? undefined };
    case 'ApiKeyTeamChanged':
      return { ...key, team: data.to ?? undefined };
    case 'ApiKeyDeleted':
      return undefined;
  }
}
