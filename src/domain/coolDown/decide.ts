import { type Instant, instant } from '../core/brands.ts';
import { type CoolDown, isInForce } from './state.ts';

const MIN_MS = 1_000;
const MAX_MS = 60_000;
/** Limits what a provider can ask for by `retry-after`, and how long a cool-down stands for a limit. */
const MAX_REQUESTED_MS = 3_600_000;
/** An extension by less than this part of the cool-down changes nothing, so that many failures make few events. */
const MIN_EXTENSION = 0.1;

/**
 * The cool-down after a failure: 1 s, doubled by each further failure up to 60 s (docs/decisions/0020-cool-downs.md).
 * @param known the account's last cool-down, in force or passed
 * @param atLeastMs the time that the provider asked for
 * @returns undefined when the known one continues unchanged
 */
export function coolDownAfterFailure(
  known: CoolDown | undefined,
  { cause, atLeastMs = 0 }: { readonly cause: string; readonly atLeastMs?: number | undefined },
  now: Instant,
): CoolDown | undefined {
  const current = known && isInForce(known, now) ? known : undefined;
  // Requests that fail together count as one failure of the account.
  const failures = current ? Math.max(1, current.failures) : 1 + failuresBefore(known, now);
  const backoffMs = Math.min(MAX_MS, MIN_MS * 2 ** (failures - 1));
  const until = instant(now + Math.max(backoffMs, Math.min(atLeastMs, MAX_REQUESTED_MS)));
  if (current && !isExtension(current, until)) return undefined;
  return { since: current?.since ?? now, until, cause, failures };
}

/**
 * The cool-down that stands for a limit which the provider reported, until the log has the request with that limit.
 * @returns undefined when the known one continues unchanged
 */
export function coolDownForLimit(
  known: CoolDown | undefined,
  { cause, limitedUntil }: { readonly cause: string; readonly limitedUntil: Instant },
  now: Instant,
): CoolDown | undefined {
  const current = known && isInForce(known, now) ? known : undefined;
  const until = instant(Math.min(limitedUntil, now + MAX_REQUESTED_MS));
  if (current && !isExtension(current, until)) return undefined;
  return { since: current?.since ?? now, until, cause, failures: 0 };
}

/** Whether the success of an attempt ends the account's cool-down: not if the attempt began before the account failed. */
export const endsWithSuccess = (known: CoolDown | undefined, attemptStartedAt: Instant, now: Instant): boolean =>
  known !== undefined && (attemptStartedAt > known.since || beganLater(known, now));

/** A clock that was set back starts the count over. */
const failuresBefore = (known: CoolDown | undefined, now: Instant): number =>
  known === undefined || beganLater(known, now) ? 0 : known.failures;

/** In the time of a clock that was set back since. */
const beganLater = (known: CoolDown, now: Instant): boolean => known.until > now && !isInForce(known, now);

const isExtension = ({ since, until }: CoolDown, next: Instant): boolean =>
  next - until > (until - since) * MIN_EXTENSION;
