import type { Schemas } from '#lib/api/client.ts';

type Token = Schemas['ManagementToken'];

/** Why a token works or no longer works. */
export function tokenState({ is_valid, revoked_at, owner }: Token): {
  readonly tone: 'good' | 'neutral' | 'warn';
  readonly label: string;
} {
  if (is_valid) return { tone: 'good', label: 'Valid' };
  if (revoked_at !== null) return { tone: 'neutral', label: 'Revoked' };
  return owner.role === null ? { tone: 'warn', label: 'Owner disabled' } : { tone: 'neutral', label: 'Expired' };
}
