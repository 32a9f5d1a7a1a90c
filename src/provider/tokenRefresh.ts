import { setTimeout as delay } from 'node:timers/promises';
import type { SealedTokens } from '../domain/account/events.ts';
import type { RefreshResultCommand } from '../domain/accountTokens/decide.ts';
import type { AccountId, Sealed } from '../domain/brands.ts';
import type { DomainEvent } from '../domain/event.ts';
import { Refusal, refuse } from '../domain/refusal.ts';
import type { Cause } from '../projecting/commandHandler.ts';
import { type Subject, subjects } from '../projecting/subjects.ts';
import type { AccessTokensOptions, RefreshResult } from './accessTokens.ts';
import { expiryOf, identityOf } from './jwt.ts';
import { deactivationReason } from './permanentFailures.ts';
import { createRareReports, ProviderTrouble } from './rareReports.ts';
import type { TokenAnswer } from './tokenAnswer.ts';

/** For so long nobody asks again after a failure that may pass: a dead token endpoint is not hammered. */
const COOL_DOWN_MS = 5_000;
/**
 * How long one caller waits. The token endpoint has 8 s, so a claim that lasts longer belongs to a node that died; the
 * wait for its end goes on without the caller, who has other accounts to ask.
 */
const PATIENCE_MS = 12_000;
/** Claims of one refresh that were lost to others, or superseded. */
const MAX_TRIES = 10;
const MAX_RECORD_DELAY_MS = 5_000;

/** What is known of a refresh token that failed. */
interface Setback {
  readonly refresh: Sealed;
  readonly code: string;
  /** Infinity: for good. */
  readonly until: number;
}

/**
 * Refreshes the tokens of accounts, once for all who ask: a claim commits before the provider is called, so that two
 * nodes cannot both spend a single-use token, and the sealed result is durable before anybody uses it (design.md 5).
 */
export function createTokenRefresh({
  hot,
  handle,
  vault,
  tokenEndpoint,
  now,
  newId,
  report,
  recordResult = async (command, cause) => {
    await handle(subjects.accountTokens, command.accountId, command, cause);
  },
}: AccessTokensOptions) {
  const underWay = new Map<AccountId, Promise<RefreshResult>>();
  const setbacks = new Map<AccountId, Setback>();
  /** Which refresh token a claim that this node saw is about. */
  const claims = new Map<AccountId, { readonly claimId: string; readonly refresh: Sealed | undefined }>();
  const waiting = new Map<AccountId, Set<() => void>>();
  const reportRarely = createRareReports({ report, now });
  const stopping = new AbortController();

  hot.onFolded((event) => {
    switch (event.type) {
      case 'TokenRefreshClaimed': {
        const { accountId, claimId } = event.data;
        claims.set(accountId, { claimId, refresh: hot.state.tokens.get(accountId)?.tokens?.refresh });
        return;
      }
      case 'TokenRefreshFailed': {
        const { accountId, claimId, code, isPermanent } = event.data;
        const claim = claims.get(accountId);
        // Another node's failure is as good as our own.
        if (claim?.claimId === claimId && claim.refresh)
          setBack(accountId, claim.refresh, code, isPermanent, event.time);
        return wake(accountId);
      }
      case 'AccountReactivated':
        // The operator wants another try.
        setbacks.delete(event.data.accountId);
        return;
      case 'TokensRefreshed':
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
        setbacks.delete(event.data.accountId);
        claims.delete(event.data.accountId);
        return wake(event.data.accountId);
    }
  });

  function setBack(accountId: AccountId, refresh: Sealed, code: string, isPermanent: boolean, at = now()): void {
    setbacks.set(accountId, { refresh, code, until: isPermanent ? Number.POSITIVE_INFINITY : at + COOL_DOWN_MS });
  }

  const tokensOf = (accountId: AccountId) => hot.state.tokens.get(accountId)?.tokens;

  /** What can be said without asking the provider; undefined when it must be asked. */
  function verdictOn(accountId: AccountId, stale: SealedTokens): RefreshResult | undefined {
    const account = hot.state.accounts.get(accountId);
    const tokens = tokensOf(accountId);
    if (!account || !tokens) return 'permanent';
    if (tokens.access !== stale.access) return 'already';
    if (account.status === 'deactivated') return 'permanent';
    const setback = setbackOf(accountId, tokens);
    if (setback) return setback.until === Number.POSITIVE_INFINITY ? 'permanent' : 'transient';
    return stopping.signal.aborted ? 'transient' : undefined;
  }

  function setbackOf(accountId: AccountId, { refresh }: SealedTokens): Setback | undefined {
    const setback = setbacks.get(accountId);
    return setback && setback.refresh === refresh && setback.until > now() ? setback : undefined;
  }

  async function obtain(accountId: AccountId, stale: SealedTokens): Promise<RefreshResult> {
    for (let tries = 0; tries < MAX_TRIES; ) {
      const verdict = verdictOn(accountId, stale);
      if (verdict === 'permanent') await deactivateAgain(accountId, stale);
      if (verdict) return verdict;
      const claim = hot.state.tokens.get(accountId)?.claim;
      if (claim && claim.expiresAt > now()) {
        await changeOf(accountId, claim.expiresAt - now());
        continue;
      }
      if (!canOpen(accountId, stale)) return 'transient';
      tries++;
      const claimId = newId();
      if (await hasClaimed(accountId, claimId, stale)) {
        const result = await spend(accountId, claimId);
        if (result) return result;
      }
    }
    return 'transient';
  }

  /** A failure of the vault is ours: nothing is claimed for it and nothing said against the account. */
  function canOpen(accountId: AccountId, { refresh }: SealedTokens): boolean {
    try {
      vault.open(refresh);
      return true;
    } catch {
      // Told by whoever tried to open the access token before.
      setBack(accountId, refresh, 'unreadable_tokens', false);
      return false;
    }
  }

  async function hasClaimed(accountId: AccountId, claimId: string, stale: SealedTokens): Promise<boolean> {
    try {
      const command = { type: 'ClaimRefresh', accountId, claimId } as const;
      // Whoever loses a race decides again, and by then the winner may have said all that there is to say.
      const stillAsking = guarded(subjects.accountTokens, () => {
        if (verdictOn(accountId, stale)) refuse('conflict', { claimId });
      });
      const { state } = await handle(stillAsking, accountId, command, causeOf(claimId));
      return state.claim?.claimId === claimId;
    } catch (error) {
      if (isRefusal(error, 'conflict')) return false;
      setBack(accountId, stale.refresh, 'log_unavailable', false);
      trouble(accountId, 'cannot be refreshed while the log does not take the claim', error);
      return false;
    }
  }

  /** Calls the provider under a claim. Undefined: the claim was superseded, look again at what stands there now. */
  async function spend(accountId: AccountId, claimId: string): Promise<RefreshResult | undefined> {
    const tokens = tokensOf(accountId);
    if (!tokens) return undefined;
    const answer = await ask(tokens);
    if (answer.kind === 'tokens') {
      const renewed = sealed(answer, tokens);
      if (!renewed) return undefined;
      const command = { type: 'RecordRefreshed', accountId, claimId, tokens: renewed } as const;
      await recordFirmly(accountId, command);
      if (tokensOf(accountId)?.access !== renewed.access) return undefined;
      if (answer.idToken !== null) await observePlan(accountId, answer.idToken, claimId);
      return 'refreshed';
    }
    const { code } = answer;
    const isPermanent = answer.kind === 'permanent';
    setBack(accountId, tokens.refresh, code, isPermanent);
    await recordFirmly(accountId, { type: 'RecordRefreshFailed', accountId, claimId, code, isPermanent });
    if (tokensOf(accountId)?.refresh !== tokens.refresh) return undefined;
    if (isPermanent) await deactivate(accountId, tokens, code, claimId);
    else trouble(accountId, `could not be refreshed (${code})`);
    return answer.kind;
  }

  async function ask({ refresh }: SealedTokens): Promise<TokenAnswer> {
    let refreshToken: string;
    try {
      refreshToken = vault.open(refresh);
    } catch {
      return { kind: 'transient', code: 'unreadable_tokens' };
    }
    return tokenEndpoint.refresh(refreshToken);
  }

  /** Under the data key that the account has. Undefined when that key was destroyed while the provider answered. */
  function sealed(answer: Extract<TokenAnswer, { kind: 'tokens' }>, before: SealedTokens): SealedTokens | undefined {
    try {
      const keyId = vault.keyIdOf(before.refresh);
      return {
        access: vault.seal(keyId, answer.access),
        refresh: answer.refresh === null ? before.refresh : vault.seal(keyId, answer.refresh),
        idToken: answer.idToken === null ? before.idToken : vault.seal(keyId, answer.idToken),
        accessExpiresAt: expiryOf(answer.access),
        refreshedAt: now(),
      };
    } catch {
      return undefined;
    }
  }

  /**
   * The old token is spent, so what came for it must reach the log, however long the log is away. Ends when it did, or
   * when the claim is no longer ours, or at `stop` after one more attempt.
   */
  async function recordFirmly(accountId: AccountId, command: RefreshResultCommand): Promise<void> {
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, MAX_RECORD_DELAY_MS)) {
      const isLast = stopping.signal.aborted;
      try {
        await recordResult(command, causeOf(command.claimId));
        return;
      } catch (error) {
        if (isRefusal(error, 'conflict') && !isAbout('stream', error)) return;
        trouble(accountId, 'were answered by the provider, but the log does not take it', error);
      }
      if (isLast) return;
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  async function observePlan(accountId: AccountId, idToken: string, claimId: string): Promise<void> {
    const planType = identityOf(idToken)?.planType;
    if (!planType || planType === hot.state.accounts.get(accountId)?.planType) return;
    const command = { type: 'ObservePlan', accountId, planType } as const;
    await handle(subjects.account, accountId, command, causeOf(claimId)).catch(unlessOutdated);
  }

  async function deactivate(accountId: AccountId, failed: SealedTokens, code: string, claimId: string): Promise<void> {
    const command = { type: 'DeactivateAccount', accountId, reason: deactivationReason(code), code } as const;
    // An import may bring new tokens at any moment: what is said of the old ones is not held against them.
    const stillMeant = guarded(subjects.account, () => {
      if (tokensOf(accountId)?.refresh !== failed.refresh) refuse('conflict', { accountId });
    });
    await handle(stillMeant, accountId, command, causeOf(claimId)).catch(unlessOutdated);
  }

  /** The first attempt may have met a log that was away. */
  async function deactivateAgain(accountId: AccountId, tokens: SealedTokens): Promise<void> {
    const setback = setbackOf(accountId, tokens);
    if (!setback || hot.state.accounts.get(accountId)?.status !== 'active') return;
    await deactivate(accountId, tokens, setback.code, newId());
  }

  function changeOf(accountId: AccountId, atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = waiting.get(accountId) ?? new Set();
      waiting.set(accountId, waiters);
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) waiting.delete(accountId);
        resolve();
      };
      const timer = setTimeout(done, atMostMs).unref();
      waiters.add(done);
    });
  }

  function wake(accountId: AccountId): void {
    for (const done of [...(waiting.get(accountId) ?? [])]) done();
  }

  function trouble(accountId: AccountId, what: string, cause?: unknown): void {
    reportRarely(accountId, new ProviderTrouble(`the tokens of account ${accountId} ${what}`, { cause }));
  }

  function unlessOutdated(error: unknown): void {
    if (!isRefusal(error, 'account_not_found') && !isRefusal(error, 'conflict')) report(error as Error);
  }

  return {
    async refresh(accountId: AccountId): Promise<RefreshResult> {
      let flight = underWay.get(accountId);
      if (!flight) {
        const stale = tokensOf(accountId);
        if (!stale) return 'permanent';
        flight = obtain(accountId, stale)
          .catch((error): RefreshResult => {
            trouble(accountId, 'could not be refreshed', error);
            return 'transient';
          })
          .finally(() => underWay.delete(accountId));
        underWay.set(accountId, flight);
      }
      return within(PATIENCE_MS, flight);
    },

    isWorthwhile(accountId: AccountId): boolean {
      const tokens = tokensOf(accountId);
      return tokens !== undefined && verdictOn(accountId, tokens) === undefined;
    },

    async stop(): Promise<void> {
      stopping.abort();
      for (const accountId of waiting.keys()) wake(accountId);
      await Promise.all(underWay.values());
    },
  };
}

const causeOf = (claimId: string): Cause => ({
  actor: { kind: 'system', reason: 'token refresh' },
  correlationId: claimId,
});

/** The same rules with a condition of ours before them, asked with every decision of a command. */
const guarded = <Id, State, Command, Event extends DomainEvent>(
  subject: Subject<Id, State, Command, Event>,
  check: () => void,
): Subject<Id, State, Command, Event> => ({
  ...subject,
  decider: {
    ...subject.decider,
    decide(...given) {
      check();
      return subject.decider.decide(...given);
    },
  },
});

const isRefusal = (error: unknown, code: Refusal['code']): error is Refusal =>
  error instanceof Refusal && error.code === code;

const isAbout = (detail: string, { details }: Refusal): boolean => detail in details;

async function within(ms: number, result: Promise<RefreshResult>): Promise<RefreshResult> {
  const patience = new AbortController();
  const given = delay(ms, 'transient' as const, { signal: patience.signal, ref: false });
  try {
    return await Promise.race([result, given]);
  } finally {
    given.catch(() => {});
    patience.abort();
  }
}
