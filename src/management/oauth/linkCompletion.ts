import { setTimeout as delay } from 'node:timers/promises';
import type { AccountLink } from '../../domain/accountLink/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { TokenResponse } from '../../provider/client/tokenResponse.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import { authFileFromTokens } from '../accounts/authFile.ts';
import { accountIdOf, accountKeysMutex, isSameAccount, sealAccount } from '../accounts/sealAccount.ts';
import type { Commands } from '../http/commands.ts';

export interface LinkCompletionOptions {
  readonly hot: HotRunner;
  readonly commands: Pick<Commands, 'handle' | 'mutex'>;
  readonly vault: Vault;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly report: (error: unknown) => void;
  readonly onAccountImported?: ((accountId: AccountId) => void) | undefined;
}

export interface LinkCompletion {
  /**
   * Records the account that the tokens belong to, or why that is impossible. The code works once, so the outcome must
   * reach the log: repeats until the log accepts it, or until `stop`, after which it makes one last attempt.
   */
  complete(link: AccountLink, response: TokenResponse, cause: Cause): Promise<void>;
  /** Records a failure, with the same repeats. */
  fail(link: AccountLink, code: string, cause: Cause): Promise<void>;
  /** Repeats `work` until it succeeds, or until `stop`. Never rejects. */
  repeatUntilRecorded(link: AccountLink, work: () => Promise<unknown>): Promise<void>;
  stop(): void;
}

type FreshTokens = Parameters<typeof authFileFromTokens>[0];

/** A failure that a retry would not change. */
interface FinalFailure {
  readonly code: string;
  readonly accountId?: AccountId;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** Refusals that depend on the account; every other one is a temporary problem of the log. */
const FINAL_REFUSALS: ReadonlySet<string> = new Set([
  'duplicate_identity_conflict',
  'account_not_found',
  'invalid_auth_json',
]);

export function createLinkCompletion(options: LinkCompletionOptions): LinkCompletion {
  const { hot, commands, vault, now, newId, report, onAccountImported } = options;
  const stopping = new AbortController();

  async function repeatUntilRecorded(link: AccountLink, work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const isLastAttempt = stopping.signal.aborted;
      try {
        await work();
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const retry = isLastAttempt ? 'Giving up because the service is stopping.' : `Retrying in ${pauseMs} ms.`;
        report(new Error(`Couldn't record the outcome of sign-in ${link.id}: ${reason}. ${retry}`));
      }
      if (isLastAttempt) return;
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const fail = (link: AccountLink, { code, accountId }: FinalFailure, cause: Cause) => {
    const command = { type: 'FailLink', linkId: link.id, code, ...(accountId && { accountId }) } as const;
    return repeatUntilRecorded(link, () => commands.handle(subjects.accountLink, link.id, command, cause));
  };

  /** Attempts once to record the account. @returns the reason when it can never be recorded */
  async function recordAccount(
    link: AccountLink,
    tokens: FreshTokens,
    cause: Cause,
  ): Promise<FinalFailure | undefined> {
    const file = authFileFromTokens(tokens);
    const signedIn = accountIdOf(file, { vault, newId, isKnown: (id) => hot.state.accounts.has(id) });
    const accountId = link.target ?? signedIn;
    return commands.mutex(accountKeysMutex(accountId), async () => {
      const known = hot.state.accounts.get(accountId);
      if (link.target !== null && !known) return { code: 'account_not_found' };
      if (link.target !== null && known && !isSameAccount(known, file, vault))
        return { code: 'wrong_account', accountId: signedIn };
      if (link.target === null && known && link.onDuplicate === 'skip') {
        const command = { type: 'SkipLink', linkId: link.id, accountId } as const;
        await commands.handle(subjects.accountLink, link.id, command, cause);
        return undefined;
      }
      if (link.target === null && known && link.onDuplicate === 'refuse') {
        return { code: 'duplicate_identity_conflict', accountId };
      }
      // Always a new key: data of a deleted account with the same id must stay unreadable.
      const sealed = sealAccount(file, accountId, vault, await vault.createKey(accountId), now());
      const account = { ...sealed, linkId: link.id };
      const command =
        link.target === null
          ? ({ type: 'ImportAccount', account, onDuplicate: link.onDuplicate } as const)
          : ({ type: 'ReplaceTokens', account } as const);
      await commands.handle(subjects.account, accountId, command, cause);
      onAccountImported?.(accountId);
      return undefined;
    });
  }

  return {
    async complete(link, response, cause) {
      if (response.kind !== 'tokens') return fail(link, response, cause);
      const { access: accessToken, refresh: refreshToken, idToken } = response;
      if (refreshToken === null || idToken === null) return fail(link, { code: 'invalid_response' }, cause);
      let failure: FinalFailure | undefined;
      await repeatUntilRecorded(link, async () => {
        // An attempt whose result was unknown may have been recorded after all.
        if (hot.state.links.get(link.id)?.progress.kind !== 'exchanging') return;
        failure = await recordAccount(link, { accessToken, refreshToken, idToken }, cause).catch(toFinalFailure);
      });
      if (failure) await fail(link, failure, cause);
    },
    fail: (link, code, cause) => fail(link, { code }, cause),
    repeatUntilRecorded,
    stop: () => stopping.abort(),
  };
}

function toFinalFailure(error: unknown): FinalFailure {
  if (error instanceof Refusal && FINAL_REFUSALS.has(error.code)) return { code: error.code };
  throw error;
}
