import type { Instant } from '../../domain/core/brands.ts';
import { Refusal, refuse } from '../../domain/core/refusal.ts';
import { hasOperators } from '../../domain/operator/access.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { ManagementState } from '../http/context.ts';

/** After signing in, or proving again who they are, a session may do what cannot be undone for this long. */
export const FRESH_MS = 10 * 60_000;

/**
 * For what cannot be undone: a session must be fresh, and a token needs the scope. Nothing is asked while there is only the built-in
 * administrator (docs/decisions/0084-what-cannot-be-undone.md).
 * @throws Refusal `reauthentication_required` | `scope_required`
 */
export function authorizeIrreversible(
  { operators, managementTokens }: Pick<HotState, 'operators' | 'managementTokens'>,
  { client: { session }, principal }: Pick<ManagementState, 'client' | 'principal'>,
  now: Instant,
): void {
  if (!hasOperators(operators) || !principal) return;
  if (principal.tokenId !== undefined) {
    const token = managementTokens.get(principal.tokenId);
    if (!token?.scopes.includes('irreversible')) refuse('scope_required');
    return;
  }
  // Without a session: a client on this machine that needs none.
  if (!session) return;
  const since = session.authenticatedAt === null ? Number.POSITIVE_INFINITY : now - session.authenticatedAt;
  if (!(since >= 0 && since < FRESH_MS)) throw new Refusal('reauthentication_required');
}
