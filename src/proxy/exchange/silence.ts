import type { UpstreamCall } from './upstreamCall.ts';

/** How long is too long, in milliseconds. */
export interface Patience {
  readonly idleMs: number;
  readonly keepAliveMs: number;
}

/**
 * Times are of a clock that does not jump. `client`: it reads nothing any more; `provider`: it says nothing any more; `sign`: time for a sign of
 * life.
 */
export function silenceOf(
  call: UpstreamCall,
  lastWriteAt: number,
  { idleMs, keepAliveMs }: Patience,
  now: number,
): 'client' | 'provider' | 'sign' | 'none' {
  const silentMs = now - call.lastSignAt;
  // While the client is the slow one, the provider's silence is ours; but nobody may hold an account for ever.
  if (silentMs >= idleMs) return call.isPaused ? 'client' : 'provider';
  return !call.isPaused && now - Math.max(call.lastSignAt, lastWriteAt) >= keepAliveMs ? 'sign' : 'none';
}
