import { z } from 'zod';
import { accountStatusSchema } from '../../domain/account/events.ts';
import type { Account } from '../../domain/account/state.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { positionOfRepeated } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';
import { parseAuthFile } from '../accounts/authFile.ts';
import { accountIdOf, keysOf, sealedAccount } from '../accounts/incomingAccount.ts';
import type { Management } from '../app.ts';
import { uploadedAuthFile } from '../http/authFileUpload.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { openedEmail } from './accountSummary.ts';

type OnDuplicate = 'refuse' | 'skip' | 'replace';

const Imported = z
  .object({ account_id: z.string(), email: z.string(), plan_type: z.string(), status: accountStatusSchema(z) })
  .meta({ id: 'ImportedAccount' });

const takeIn = documented({
  summary: 'Brings an account in from an auth file',
  query: { on_duplicate: z.enum(['replace', 'skip', 'refuse']).optional() },
  form: z.object({ auth_json: z.string().meta({ format: 'binary' }) }),
  answer: Imported,
  refuses: ['invalid_auth_json', 'duplicate_identity_conflict', 'validation_error'],
});

/** Brings an account in from an auth file (provider-and-predecessor.md section 1; duplicates as in design.md section 5). */
export const importRoutes = ({ log, hot, handle, vault, inTurn, now, newId, onAccountImported }: Management) =>
  newRouter('/api/accounts/import')
    .post('/', takeIn, async (ctx) => {
      const onDuplicate = duplicateRule(ctx, hot.state.settings.importWithoutOverwrite);
      const file = parseAuthFile(await uploadedAuthFile(ctx));
      const { cause } = ctx.state;
      const accountId = accountIdOf(file, vault, () => cause.write?.resourceId ?? newId());
      return inTurn(keysOf(accountId), async () => {
        const isRepeat = (await positionOfRepeated(log, subjects.account.streamOf(accountId), cause)) !== undefined;
        const known = hot.state.accounts.get(accountId);
        if (isRepeat) return imported(known ?? refuse('account_not_found', { accountId }), vault);
        if (known && onDuplicate === 'skip') return imported(known, vault);
        if (known && onDuplicate === 'refuse') return refuse('duplicate_identity_conflict', { accountId });
        // A new key each time: what a deleted account left behind stays sealed after a new import.
        const account = sealedAccount(file, accountId, vault, await vault.createKey(accountId), now());
        const command = { type: 'ImportAccount' as const, account, onDuplicate };
        const { state, events } = await handle(subjects.account, accountId, command, cause);
        if (events.length > 0) onAccountImported?.(accountId);
        return imported(state ?? refuse('account_not_found', { accountId }), vault);
      });
    })
    .routes();

function duplicateRule(ctx: ManagementContext, skipsKnown: boolean): OnDuplicate {
  const given = ctx.query.on_duplicate ?? ctx.query.onDuplicate;
  if (given === undefined) return skipsKnown ? 'skip' : 'refuse';
  if (given === 'replace' || given === 'skip' || given === 'refuse') return given;
  return refuse('validation_error', { param: 'on_duplicate', problem: 'must be one of replace, skip, refuse' });
}

const imported = (account: Account, vault: Vault) => ({
  account_id: account.id,
  email: openedEmail(account, vault),
  plan_type: account.planType,
  status: account.status,
});
