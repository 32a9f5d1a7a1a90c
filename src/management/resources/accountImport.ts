import { z } from 'zod';
import { accountStatusSchema } from '../../domain/account/events.ts';
import type { Account } from '../../domain/account/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';
import { requireProxyAddress } from '../accounts/accountProxy.ts';
import { parseAuthFile } from '../accounts/authFile.ts';
import { emailOf } from '../accounts/openSealed.ts';
import { accountIdOf, accountKeysMutex, sealAccount } from '../accounts/sealAccount.ts';
import { readAccountUpload } from '../http/authFileUpload.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryText } from '../http/query.ts';
import { OPERATORS } from '../http/roles.ts';

const onDuplicate = z.enum(['replace', 'skip', 'refuse']);
type OnDuplicate = z.infer<typeof onDuplicate>;

const ImportedAccount = z
  .object({ account_id: z.string(), email: z.string(), plan_type: z.string(), status: accountStatusSchema(z) })
  .meta({ id: 'ImportedAccount' });

const routes = {
  importAccount: describeRoute({
    roles: OPERATORS,
    summary: 'Import an account from an auth file',
    query: { on_duplicate: onDuplicate.optional() },
    form: z.object({
      auth_json: z.string().meta({ format: 'binary' }),
      proxy: z
        .string()
        .optional()
        .describe('Address of a proxy for all calls of this account; without it a known account keeps its own'),
    }),
    response: ImportedAccount,
    errors: ['invalid_auth_json', 'duplicate_identity_conflict', 'validation_error'],
  }),
};

interface AccountImportOptions extends Pick<Capabilities, 'views' | 'commands' | 'vault' | 'ids' | 'now'> {
  /** Called after an account was imported or got new tokens. */
  readonly onAccountImported?: ((accountId: AccountId) => void) | undefined;
}

/** Importing accounts from auth files; duplicates as in docs/decisions/0033-import-of-a-known-identity.md. */
export const accountImportRoutes = (options: AccountImportOptions) => {
  const { views, commands, vault, ids, now, onAccountImported } = options;
  return newRouter('/api/accounts/import')
    .post('/', routes.importAccount, async (ctx) => {
      const onDuplicate = readOnDuplicate(ctx, views.current.settings.importWithoutOverwrite);
      const { authFile, proxy } = await readAccountUpload(ctx);
      const file = parseAuthFile(authFile);
      if (proxy !== undefined) requireProxyAddress(proxy);
      const { cause } = ctx.state;
      const accountId = accountIdOf(file, {
        vault,
        newId: () => cause.write?.resourceId ?? ids.newId(),
        isKnown: (id) => views.current.accounts.has(id),
      });
      return commands.mutex(accountKeysMutex(accountId), async () => {
        const isRepeat = await commands.isRepeat(subjects.account.streamOf(accountId), cause);
        const known = views.current.accounts.get(accountId);
        if (isRepeat) return importedAccount(known ?? refuse('account_not_found', { accountId }), vault);
        if (known && onDuplicate === 'skip') return importedAccount(known, vault);
        if (known && onDuplicate === 'refuse') return refuse('duplicate_identity_conflict', { accountId });
        // Always a new key: data of a deleted account with the same id must stay unreadable.
        const keyId = await vault.createKey(accountId);
        const account = {
          ...sealAccount(file, accountId, vault, keyId, now()),
          ...(proxy !== undefined && { proxy: vault.seal(keyId, proxy) }),
        };
        const command = { type: 'ImportAccount' as const, account, onDuplicate };
        const { state, events } = await commands.handle(subjects.account, accountId, command, cause);
        if (events.length > 0) onAccountImported?.(accountId);
        return importedAccount(state ?? refuse('account_not_found', { accountId }), vault);
      });
    })
    .routes();
};

/** @throws Refusal `validation_error` */
function readOnDuplicate(ctx: ManagementContext, skipByDefault: boolean): OnDuplicate {
  const text = queryText(ctx, 'on_duplicate');
  if (text === undefined) return skipByDefault ? 'skip' : 'refuse';
  const choice = onDuplicate.safeParse(text);
  if (choice.success) return choice.data;
  return refuse('validation_error', { param: 'on_duplicate', problem: 'must be one of replace, skip, refuse' });
}

const importedAccount = (account: Account, vault: Vault): z.infer<typeof ImportedAccount> => ({
  account_id: account.id,
  email: emailOf(account, vault),
  plan_type: account.planType,
  status: account.status,
});
