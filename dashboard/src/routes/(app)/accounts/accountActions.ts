import { answerOf, api, type Schemas } from '#lib/api/client.ts';
import { confirm } from '#lib/ui/confirm.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

type Account = Schemas['Account'];

const params = ({ account_id }: Account) => ({ params: { path: { id: account_id } } });

/** What can be done to an account; each says what became of it. */
export function accountActions(changed: () => Promise<void>) {
  async function pause(account: Account): Promise<void> {
    try {
      await answerOf(api.POST('/api/accounts/{id}/pause', params(account)));
      await changed();
      toasts.good(`${account.email} is paused`, {
        detail: 'It gets no new requests; those under way go on.',
        action: { label: 'Undo', run: () => void reactivate(account) },
      });
    } catch (error) {
      toasts.bad(`${account.email} was not paused`, error);
    }
  }

  async function reactivate(account: Account): Promise<void> {
    try {
      await answerOf(api.POST('/api/accounts/{id}/reactivate', params(account)));
      await changed();
      toasts.good(`${account.email} is back in service`);
    } catch (error) {
      toasts.bad(`${account.email} was not reactivated`, error);
    }
  }

  /** @returns whether it is gone */
  async function remove(account: Account): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${account.email}?`,
      body: 'It stops serving at once and its tokens are destroyed for good. What it did stays in the history and the request log. To have it back, it must be linked or imported again.',
      action: 'Delete account',
      typed: account.email,
    });
    if (!isSure) return false;
    try {
      await answerOf(api.DELETE('/api/accounts/{id}', params(account)));
      await changed();
      toasts.good(`${account.email} is deleted`);
      return true;
    } catch (error) {
      toasts.bad(`${account.email} was not deleted`, error);
      return false;
    }
  }

  return { pause, reactivate, remove };
}

export type AccountActions = ReturnType<typeof accountActions>;
