import type { CoolDowns } from '../../domain/coolDown/state.ts';
import { type Instant, iso } from '../../domain/core/brands.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Classification } from '../../proxy/exchange/classify.ts';
import type { Settlement } from '../../proxy/settlement/settlement.ts';
import type { HotState } from '../../state/fold/hotState.ts';

export interface PoolHealthOptions {
  readonly hot: Pick<HotState, 'accounts' | 'usage'>;
  readonly coolDowns: CoolDowns;
  readonly faults: Faults;
  readonly now: () => Instant;
}

/** Watches whether the pool serves model requests. */
export interface PoolHealth {
  /** Called with every request that has ended. Cheap. */
  onSettled(settlement: Pick<Settlement, 'attempts' | 'outcome'>): void;
  /** Looks at the accounts; called every few seconds. */
  check(): void;
}

const NO_ACCOUNT = 'no_account_available';
const FAILING = 'requests_failing';

/** Requests in a row that no account served: fewer may be the fault of a request. */
const MIN_FAILURES = 3;
/** Without another failure, requests are no longer known to fail. */
const FAILING_FOR_MS = 600_000;

/** Failed attempts that say nothing good about the pool. Not the limits of accounts: `check` looks at these. */
const FAILURES: Readonly<Partial<Record<Classification['outcome'], string>>> = {
  throttled: 'it limits the rate of requests',
  unauthorized: 'it refuses the access token',
  account_refused: 'it refuses the account',
  tokens_unavailable: 'the tokens of the account could not be refreshed',
  provider_error: 'it responds with an error',
  unreachable: 'it is unreachable',
  not_a_stream: 'its response is no event stream',
  not_json: 'its response is no JSON',
  cut: 'its response ends early',
  idle: 'it stops sending',
};

/**
 * Creates the watch. That no account is available follows from the accounts, so it is said before a client notices, and over when
 * one is. That the provider fails is known from requests only: it is said when several in a row failed, and over when one is served.
 */
export function createPoolHealth({ hot, coolDowns, faults, now }: PoolHealthOptions): PoolHealth {
  let failures = 0;
  let lastFailed: Attempt | undefined;

  function onFailed(last: Attempt | undefined): void {
    failures += 1;
    lastFailed = last;
    if (failures < MIN_FAILURES || !last) return;
    const fault = {
      code: FAILING,
      cause: `The last ${failures} model requests failed on every account that was tried; the provider of account ${last.accountId}: ${describeFailure(last)}.`,
      remedy: 'svc goes on trying. Check the network, SVC_UPSTREAM_BASE_URL and the status page of the provider.',
    };
    faults.raise(fault, { overAfterMs: FAILING_FOR_MS });
  }

  function check(isRefused = false): void {
    const reason = whyNoAccount(hot, coolDowns, now());
    if (!reason) faults.clear(NO_ACCOUNT, undefined, 'An account is available again: model requests are served.');
    // A new installation has no account and no clients.
    else if (hot.accounts.size > 0) faults.raise({ code: NO_ACCOUNT, ...reason });
    else if (isRefused) faults.raise({ code: NO_ACCOUNT, ...reason }, { level: 'warn' });
  }

  return {
    onSettled({ attempts, outcome }) {
      const last = attempts.at(-1);
      if (last?.outcome === 'ok') {
        if (failures === 0) return;
        failures = 0;
        faults.clear(FAILING, undefined, 'Model requests are served again.');
        return;
      }
      if (outcome.refusal) check(true);
      if (last ? last.outcome in FAILURES : outcome.refusal?.reason === 'cooling') onFailed(last ?? lastFailed);
    },
    check: () => check(),
  };
}

function describeFailure({ outcome, providerStatus, errno, code }: Attempt): string {
  const details = [providerStatus && `HTTP ${providerStatus}`, errno, code].filter((detail) => detail !== undefined);
  const sentence = FAILURES[outcome as Classification['outcome']] ?? outcome;
  return details.length > 0 ? `${sentence} (${details.join(', ')})` : sentence;
}

/** @returns undefined while an account is available, or cools down after a failure, which lasts seconds */
function whyNoAccount(
  { accounts, usage }: PoolHealthOptions['hot'],
  coolDowns: CoolDowns,
  now: Instant,
): { cause: string; remedy: string } | undefined {
  const counts = { used: 0, deactivated: 0, paused: 0 };
  let first: Instant | undefined;
  for (const account of accounts.values()) {
    const { state, until, reason } = availabilityOf(account, usage.get(account.id), coolDowns.get(account.id), now);
    if (state === 'available' || (state === 'cooling' && reason !== 'usage_limit')) return undefined;
    if (state === 'deactivated' || state === 'paused') counts[state] += 1;
    else {
      counts.used += 1;
      if (until !== null && (first === undefined || until < first)) first = until;
    }
  }
  if (accounts.size === 0) {
    return {
      cause: 'There is no account: model requests get 503 no_accounts.',
      remedy: 'Sign in to one, or import one, on the page Accounts of the dashboard.',
    };
  }
  const states = [
    counts.used > 0 && `${counts.used} with used-up limits`,
    counts.deactivated > 0 && `${counts.deactivated} deactivated`,
    counts.paused > 0 && `${counts.paused} paused`,
  ].filter((state) => state !== false);
  return {
    cause: `No account can serve (${states.join(', ')}). Model requests get ${counts.used > 0 ? '429 rate_limit_exceeded' : '503 no_accounts'}.`,
    remedy: first
      ? `It ends by itself at ${iso(first)}; sooner with another account.`
      : 'Sign in to an account again, resume one, or add one.',
  };
}
