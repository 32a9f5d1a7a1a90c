import type { AccountId } from '../domain/brands.ts';
import { subjects } from '../projecting/subjects.ts';
import { accountSummary } from './accountSummary.ts';
import { type ManagementContext, newRouter } from './context.ts';
import { keysOf } from './importAccount.ts';
import type { Management } from './management.ts';

export const accountRoutes = (management: Management) => {
  const { hot, handle, vault, inTurn } = management;
  return newRouter('/api/accounts')
    .get('/', () => ({
      accounts: [...hot.state.accounts.values()].map((account) => accountSummary(account, management)),
    }))
    .post('/:id/pause', async (ctx) => {
      const accountId = idOf(ctx);
      await handle(subjects.account, accountId, { type: 'PauseAccount', accountId }, ctx.state.cause);
      return { status: 'paused' };
    })
    .post('/:id/reactivate', async (ctx) => {
      const accountId = idOf(ctx);
      await handle(subjects.account, accountId, { type: 'ReactivateAccount', accountId }, ctx.state.cause);
      return { status: 'reactivated' };
    })
    .delete('/:id', async (ctx) => {
      const accountId = idOf(ctx);
      return inTurn(keysOf(accountId), async () => {
        await handle(subjects.account, accountId, { type: 'DeleteAccount', accountId }, ctx.state.cause);
        await vault.destroy(accountId);
        return { status: 'deleted' };
      });
    })
    .routes();
};

const idOf = (ctx: ManagementContext) => (ctx.params.id ?? '') as AccountId;
