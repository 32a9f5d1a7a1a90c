import type { ApiKeyId, TeamId } from '../core/brands.ts';
import type { LimitRule } from './limitRule.ts';

/** Where a limit stands: on a key, on the owner of keys, or on a team. In the order in which a refusal names them. */
export const limitLevels = ['key', 'owner', 'team'] as const;
export type LimitLevel = (typeof limitLevels)[number];

/** Whose limit it is: the id of a key, `owner:<owner>` or `team:<id>`. The ids of keys have no colon, so that none is another. */
export type LimitHolder = ApiKeyId | (string & { readonly limitHolder: unique symbol });

export const ownerHolder = (owner: string): LimitHolder => `owner:${owner}` as LimitHolder;
export const teamHolder = (team: TeamId | string): LimitHolder => `team:${team}` as LimitHolder;

/** The limits of one level that a request must keep. */
export interface LimitedLevel {
  readonly level: LimitLevel;
  /** The id of the key, the owner, or the id of the team. */
  readonly subject: string;
  readonly holder: LimitHolder;
  readonly rules: readonly LimitRule[];
}

/** To whom a request counts: its key, and the owner and the team that the key had when the request was admitted. */
export interface LimitedRequest {
  readonly keyId: ApiKeyId | null;
  readonly owner?: string | undefined;
  readonly team?: string | undefined;
}

/** @returns the holders of all levels of a request, whether or not they have limits */
export function holdersOf({ keyId, owner, team }: LimitedRequest): LimitHolder[] {
  const holders: LimitHolder[] = [];
  if (keyId !== null) holders.push(keyId);
  if (owner !== undefined) holders.push(ownerHolder(owner));
  if (team !== undefined) holders.push(teamHolder(team));
  return holders;
}
