import type { Call } from './call.ts';

/** Durations of silence, in milliseconds. */
export interface IdleLimits {
  /** Ends the request. */
  readonly idleMs: number;
  /** Sends the client a keepalive. */
  readonly keepAliveMs: number;
}

/**
 * What to do about a silent connection. Times are of `performance.now()`.
 * @returns `dropClient`: it has stopped reading; `failProvider`: it has stopped sending; `keepAlive`: the client should
 * get a keepalive
 */
export function idleAction(
  { isPaused, lastActivityAt }: Pick<Call, 'isPaused' | 'lastActivityAt'>,
  lastKeepAliveAt: number,
  { idleMs, keepAliveMs }: IdleLimits,
  now: number,
): 'dropClient' | 'failProvider' | 'keepAlive' | 'none' {
  // A paused provider is silent because the client reads slowly; but no client may occupy an account without end.
  if (now - lastActivityAt >= idleMs) return isPaused ? 'dropClient' : 'failProvider';
  return !isPaused && now - Math.max(lastActivityAt, lastKeepAliveAt) >= keepAliveMs ? 'keepAlive' : 'none';
}
