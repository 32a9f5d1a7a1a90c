import { z } from 'zod';
import type { AccountId } from '../../domain/core/brands.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { keysOf } from '../accounts/incomingAccount.ts';
import type { Management } from '../app.ts';
import { atQuery, viewOf } from '../http/asOf.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { AccountResponse, accountSummary } from './accountSummary.ts';

const list = documented({
  summary: 'All accounts of the pool',
  query: atQuery,
  answer: z.object({ accounts: z.array(AccountResponse) }),
});
const ends = <const Status extends string>(status: Status, summary: string) =>
  documented({ summary, answer: z.object({ status: z.literal(status) }), refuses: ['account_not_found'] });

export const accountRoutes = (management: Management) => {
  const { hot, handle, vault, inTurn } = management;
  return newRouter('/api/accounts')
    .get('/', list, async (ctx) => {
      const view = await viewOf(ctx, management);
      return { accounts: [...view.hot.state.accounts.values()].map((account) => accountSummary(account, view)) };
    })
    .post('/:id/pause', ends('paused', 'Takes an account out of service'), async (ctx) => {
      const accountId = idOf(ctx);
      await handle(subjects.account, accountId, { type: 'PauseAccount', accountId }, ctx.state.cause);
      return { status: 'paused' };
    })
    .post('/:id/reactivate', ends('reactivated', 'Puts an account back into service'), async (ctx) => {
      const accountId = idOf(ctx);
      await handle(subjects.account, accountId, { type: 'ReactivateAccount', accountId }, ctx.state.cause);
      return { status: 'reactivated' };
    })
    .delete('/:id', ends('deleted', 'Removes an account and destroys its data key'), async (ctx) => {
      const accountId = idOf(ctx);
      return inTurn(keysOf(accountId), async () => {
        await handle(subjects.account, accountId, { type: 'DeleteAccount', accountId }, ctx.state.cause);
        if (!hot.state.accounts.has(accountId)) await vault.destroy(accountId);
        return { status: 'deleted' };
      });
    })
    .routes();
};

const idOf = (ctx: ManagementContext) => (ctx.params.id ?? '') as AccountId;
