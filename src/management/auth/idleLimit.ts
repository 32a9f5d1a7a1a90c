import type { Instant } from '../../domain/core/brands.ts';
import { hasOperators } from '../../domain/operator/access.ts';
import type { Operators } from '../../domain/operator/state.ts';
import type { CookieContent } from './sessionCookie.ts';

/** A session ends this long after its last request, once there are operators besides the built-in administrator. */
export const IDLE_LIMIT_MS = 60 * 60_000;
/** The cookie is sent again when it is older: most responses need none. */
const RENEWAL_MS = 5 * 60_000;

/**
 * Whether the session of a cookie was unused for too long, and whether the response must renew the cookie. The time of the last
 * request is in the cookie, so that all nodes agree on it without an event per request.
 */
export function idleStateOf(
  { seenAt }: CookieContent,
  operators: Operators,
  now: Instant,
): { readonly isIdle: boolean; readonly mustRenew: boolean } {
  if (!hasOperators(operators)) return { isIdle: false, mustRenew: false };
  const unusedMs = seenAt === undefined ? RENEWAL_MS : now - seenAt;
  return { isIdle: unusedMs > IDLE_LIMIT_MS, mustRenew: unusedMs >= RENEWAL_MS };
}
