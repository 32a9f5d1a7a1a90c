import { setTimeout as delay } from 'node:timers/promises';
import type { AccountLink } from '../../domain/accountLink/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { KeyedMutex } from '../../lib/keyedMutex.ts';
import type { TokenAnswer } from '../../provider/client/tokenResponse.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import { authFileOf } from '../accounts/authFile.ts';
import { accountIdOf, isOf, keysOf, sealedAccount } from '../accounts/incomingAccount.ts';

export interface LinkCompletionOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly vault: Vault;
  readonly inTurn: KeyedMutex;
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly report: (error: unknown) => void;
  readonly onAccountImported?: ((accountId: AccountId) => void) | undefined;
}

export interface LinkCompletion {
  /**
   * Brings in what the provider gave, or says why not. The code is spent, so the end must reach the log, however long the
   * log is away: resolves when it has, or at `stop` after one more attempt.
   */
  complete(link: AccountLink, answer: TokenAnswer, cause: Cause): Promise<void>;
  fail(link: AccountLink, code: string, cause: Cause): Promise<void>;
  /** Repeats what the log did not take, for the same reason. */
  firmly(link: AccountLink, work: () => Promise<unknown>): Promise<void>;
  stop(): void;
}

type FreshTokens = Parameters<typeof authFileOf>[0];

/** A code that was exchanged brought nothing, and another attempt would not either. */
interface Failed {
  readonly code: string;
  readonly accountId?: AccountId;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** What the rules may say of an account; everything else is the log's trouble, and passes. */
const FINAL_REFUSALS: ReadonlySet<string> = new Set([
  'duplicate_identity_conflict',
  'account_not_found',
  'invalid_auth_json',
]);

export function createLinkCompletion(options: LinkCompletionOptions): LinkCompletion {
  const { hot, handle, vault, inTurn, now, newId, report, onAccountImported } = options;
  const stopping = new AbortController();

  async function firmly(link: AccountLink, work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const isLast = stopping.signal.aborted;
      try {
        await work();
        return;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        report(new Error(`sign-in ${link.id} was completed by the provider, but the log does not take it: ${why}`));
      }
      if (isLast) return;
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const fail = (link: AccountLink, { code, accountId }: Failed, cause: Cause) => {
    const command = { type: 'FailLink', linkId: link.id, code, ...(accountId && { accountId }) } as const;
    return firmly(link, () => handle(subjects.accountLink, link.id, command, cause));
  };

  /** One attempt to write the account down. @returns what speaks against it for good */
  async function bringIn(link: AccountLink, tokens: FreshTokens, cause: Cause): Promise<Failed | undefined> {
    const file = authFileOf(tokens);
    const found = accountIdOf(file, vault, newId);
    const accountId = link.target ?? found;
    return inTurn(keysOf(accountId), async () => {
      const known = hot.state.accounts.get(accountId);
      if (link.target !== null && !known) return { code: 'account_not_found' };
      if (link.target !== null && known && !isOf(known, file, vault))
        return { code: 'wrong_account', accountId: found };
      if (link.target === null && known && link.onDuplicate === 'skip') {
        await handle(subjects.accountLink, link.id, { type: 'SkipLink', linkId: link.id, accountId }, cause);
        return undefined;
      }
      if (link.target === null && known && link.onDuplicate === 'refuse') {
        return { code: 'duplicate_identity_conflict', accountId };
      }
      // A new key each time: what a deleted account left behind stays sealed after a new sign-in.
      const sealed = sealedAccount(file, accountId, vault, await vault.createKey(accountId), now());
      const account = { ...sealed, linkId: link.id };
      const command =
        link.target === null
          ? ({ type: 'ImportAccount', account, onDuplicate: link.onDuplicate } as const)
          : ({ type: 'ReplaceTokens', account } as const);
      await handle(subjects.account, accountId, command, cause);
      onAccountImported?.(accountId);
      return undefined;
    });
  }

  return {
    async complete(link, answer, cause) {
      if (answer.kind !== 'tokens') return fail(link, answer, cause);
      const { access: accessToken, refresh: refreshToken, idToken } = answer;
      if (refreshToken === null || idToken === null) return fail(link, { code: 'invalid_response' }, cause);
      let failed: Failed | undefined;
      await firmly(link, async () => {
        // Told again after a failure whose end nobody knew: what ended meanwhile stays as it ended.
        if (hot.state.links.get(link.id)?.progress.kind !== 'exchanging') return;
        failed = await bringIn(link, { accessToken, refreshToken, idToken }, cause).catch(asFailed);
      });
      if (failed) await fail(link, failed, cause);
    },
    fail: (link, code, cause) => fail(link, { code }, cause),
    firmly,
    stop: () => stopping.abort(),
  };
}

function asFailed(error: unknown): Failed {
  if (error instanceof Refusal && FINAL_REFUSALS.has(error.code)) return { code: error.code };
  throw error;
}
