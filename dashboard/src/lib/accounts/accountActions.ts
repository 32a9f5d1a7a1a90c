import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { confirm } from '#lib/ui/confirm.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';
import { needsSignIn, tokenStatusOf } from './accountStatus.ts';

type Account = Schemas['Account'];

const params = ({ account_id }: Account) => ({ params: { path: { id: account_id } } });

/** Actions on an account; each shows its result as a notification. */
export function accountActions(reload: () => Promise<void>) {
  async function pause(account: Account): Promise<void> {
    try {
      await unwrap(api.POST('/api/accounts/{id}/pause', params(account)));
      await reload();
      toasts.good(`${account.email} paused`, {
        detail: 'It gets no new requests. Open requests continue.',
        action: { label: 'Undo', run: () => void reactivate(account) },
      });
    } catch (error) {
      toasts.bad(`Couldn’t pause ${account.email}`, error);
    }
  }

  async function reactivate(account: Account): Promise<void> {
    const isSure =
      !needsSignIn(account) ||
      (await confirm({
        title: `Reactivate ${account.email} with the same tokens?`,
        body: `${tokenStatusOf(account).detail}\n\nIf they are still rejected, the account is deactivated again at its next request.`,
        action: 'Reactivate',
        tone: 'plain',
      }));
    if (!isSure) return;
    try {
      await unwrap(api.POST('/api/accounts/{id}/reactivate', params(account)));
      await reload();
      toasts.good(`${account.email} reactivated`);
    } catch (error) {
      toasts.bad(`Couldn’t reactivate ${account.email}`, error);
    }
  }

  /** @returns whether it was deleted */
  async function remove(account: Account): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${account.email}?`,
      body: 'It stops serving immediately and its tokens are permanently destroyed. Its history and request log remain. To use it again, link or import it again.',
      action: 'Delete account',
      typed: account.email,
    });
    if (!isSure) return false;
    try {
      await unwrap(api.DELETE('/api/accounts/{id}', params(account)));
      await reload();
      toasts.good(`${account.email} deleted`);
      return true;
    } catch (error) {
      toasts.bad(`Couldn’t delete ${account.email}`, error);
      return false;
    }
  }

  /** @param proxy an address; null removes the account's proxy @throws ApiError */
  async function setProxy(account: Account, proxy: string | null): Promise<void> {
    const { proxy: shown } = await unwrap(api.PATCH('/api/accounts/{id}', { ...params(account), body: { proxy } }));
    await reload();
    toasts.good(shown ? `${account.email} uses the proxy ${shown}` : `${account.email} has no proxy of its own`);
  }

  return { pause, reactivate, remove, setProxy };
}

export type AccountActions = ReturnType<typeof accountActions>;
