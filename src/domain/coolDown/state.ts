import type { AccountId, Instant } from '../core/brands.ts';
import { type CoolDownEvent, cooledIn } from './events.ts';

/** The time in which an account is left out because it failed. */
export interface CoolDown {
  readonly since: Instant;
  readonly until: Instant;
  /** The outcome of the attempt that failed. */
  readonly cause: string;
  /** Failures in a row; 0 for a limit that the provider reported. */
  readonly failures: number;
}

/** Cool-downs by account. They stay after they have passed, until a request succeeds on the account. */
export type CoolDowns = Pick<ReadonlyMap<AccountId, CoolDown>, 'get'>;

/** A cool-down that begins, is extended or ends. */
export interface CoolDownChange {
  /** Counts the changes of the process that wrote it. */
  readonly number: number;
  readonly accountId: AccountId;
  /** Undefined when it ended. */
  readonly coolDown: CoolDown | undefined;
}

/** How far clocks of nodes may differ. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/**
 * Whether the account is left out at `now`. A cool-down that begins later than `now` was begun before the clock was set back,
 * and would last until the clock has caught up.
 */
export const isInForce = (coolDown: CoolDown, now: Instant): boolean =>
  coolDown.until > now && coolDown.since <= now + MAX_CLOCK_DIFFERENCE_MS;

/** The changes of an event, in order. */
export function changesIn({ type, data }: CoolDownEvent): CoolDownChange[] {
  if (type === 'AccountRecovered') {
    return [{ number: data.number, accountId: data.accountId, coolDown: undefined }];
  }
  return cooledIn(data)
    .flatMap(({ accounts }) => accounts)
    .map(({ accountId, ...coolDown }, index) => ({ number: data.number + index, accountId, coolDown }));
}

/** The folded cool-downs, replaced by changes that are not folded yet: the last one of each account. */
export const withPending = (
  folded: CoolDowns,
  pending: ReadonlyMap<AccountId, Pick<CoolDownChange, 'coolDown'>>,
): CoolDowns => ({
  get(accountId) {
    const change = pending.get(accountId);
    return change ? change.coolDown : folded.get(accountId);
  },
});
