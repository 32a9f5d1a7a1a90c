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
      toasts.good(`${account.email} paused`, {
        detail: 'It gets no new requests. Open requests continue.',
        action: { label: 'Undo', run: () => void reactivate(account) },
      });
    } catch (error) {
      toasts.bad(`Couldn’t pause ${account.email}`, error);
    }
  }

  async function reactivate(account: Account): Promise<void> {
    try {
      await answerOf(api.POST('/api/accounts/{id}/reactivate', params(account)));
      await changed();
      toasts.good(`${account.email} reactivated`);
    } catch (error) {
      toasts.bad(`Couldn’t reactivate ${account.email}`, error);
    }
  }

  /** @returns whether it is gone */
  async function remove(account: Account): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${account.email}?`,
      body: 'It stops serving immediately and its tokens are permanently destroyed. Its history and request log remain. To use it again, link or import it again.',
      action: 'Delete account',
      typed: account.email,
    });
    if (!isSure) return false;
    try {
      await answerOf(api.DELETE('/api/accounts/{id}', params(account)));
      await changed();
      toasts.good(`${account.email} deleted`);
      return true;
    } catch (error) {
      toasts.bad(`Couldn’t delete ${account.email}`, error);
      return false;
    }
  }

  return { pause, reactivate, remove };
}

export type AccountActions = ReturnType<typeof accountActions>;
