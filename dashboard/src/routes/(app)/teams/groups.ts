import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import type { LimitBody } from '../api-keys/limitDraft.ts';
import type { Limit } from '../api-keys/limits.ts';

/** API keys that share limits: those of a team, or those of an owner. */
export interface Group {
  readonly kind: 'team' | 'owner';
  /** The id of the team, or the owner. */
  readonly id: string;
  readonly name: string;
  /** Number of keys. */
  readonly keys: number;
  readonly limits: readonly Limit[];
  readonly lastUsedAt: string | null;
}

/** What the form of a group changes; an owner has no name of its own. */
export interface GroupBody {
  name?: string;
  limits: LimitBody[];
}

export const groupOfTeam = ({ id, name, keys, limits, last_used_at }: Schemas['Team']): Group => ({
  kind: 'team',
  id,
  name,
  keys,
  limits,
  lastUsedAt: last_used_at,
});

export const groupOfOwner = ({ owner, name, keys, limits, last_used_at }: Schemas['Owner']): Group => ({
  kind: 'owner',
  id: owner,
  name: name ?? owner,
  keys,
  limits,
  lastUsedAt: last_used_at,
});

/** How History names it. */
export const subjectOfGroup = ({ kind, id }: Group): string => `${kind}-${encodeURIComponent(id)}`;

/** Changes a team or the limits of an owner. */
export async function changeGroup(
  { kind, id }: Pick<Group, 'kind' | 'id'>,
  body: GroupBody | { reset_usage: true },
): Promise<void> {
  if (kind === 'team') await unwrap(api.PATCH('/api/teams/{id}', { params: { path: { id } }, body }));
  else await unwrap(api.PATCH('/api/owners/{owner}', { params: { path: { owner: id } }, body }));
}
