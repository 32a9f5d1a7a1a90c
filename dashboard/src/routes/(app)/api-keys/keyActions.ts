import { api, unwrap } from '#lib/api/client.ts';
import { confirm } from '#lib/ui/confirm.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';
import type { Key } from './limits.ts';

const params = ({ id }: Key) => ({ params: { path: { id } } });

export interface NewKey {
  readonly name: string;
  readonly value: string;
  readonly models: readonly string[] | null;
  readonly isNew: boolean;
}

interface KeyActionsOptions {
  readonly reload: () => Promise<void>;
  /** Shows a new key, which is only possible once. */
  readonly show: (key: NewKey) => void;
}

/** Actions on a key; each shows its result as a notification. */
export function keyActions({ reload, show }: KeyActionsOptions) {
  async function setActive(key: Key, is_active: boolean): Promise<void> {
    try {
      await unwrap(api.PATCH('/api/api-keys/{id}', { ...params(key), body: { is_active } }));
      await reload();
      toasts.good(is_active ? `${key.name} activated` : `${key.name} deactivated`, {
        action: { label: 'Undo', run: () => void setActive(key, !is_active) },
      });
    } catch (error) {
      toasts.bad(`Couldn’t update ${key.name}`, error);
    }
  }

  async function resetUsage(key: Key): Promise<void> {
    const isSure = await confirm({
      title: `Reset the usage of ${key.name}?`,
      body: 'The usage of all its limits is set to zero. The request log keeps the usage.',
      action: 'Reset usage',
    });
    if (!isSure) return;
    try {
      await unwrap(api.PATCH('/api/api-keys/{id}', { ...params(key), body: { reset_usage: true } }));
      await reload();
      toasts.good(`Usage of ${key.name} reset`);
    } catch (error) {
      toasts.bad('Couldn’t reset the usage', error);
    }
  }

  async function regenerate(key: Key): Promise<void> {
    const isSure = await confirm({
      title: `Regenerate ${key.name}?`,
      body: 'The current key stops working immediately. Every client that uses it needs the new one. Limits and usage stay.',
      action: 'Regenerate key',
    });
    if (!isSure) return;
    try {
      const created = await unwrap(api.POST('/api/api-keys/{id}/regenerate', params(key)));
      await reload();
      show({ name: created.name, value: created.key ?? '', models: created.allowed_models, isNew: false });
    } catch (error) {
      toasts.bad(`Couldn’t regenerate ${key.name}`, error);
    }
  }

  /** @returns whether it was deleted */
  async function remove(key: Key): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${key.name}?`,
      body: 'It stops working immediately and cannot be restored. Its history and request log remain.',
      action: 'Delete key',
      typed: key.name,
    });
    if (!isSure) return false;
    try {
      await unwrap(api.DELETE('/api/api-keys/{id}', params(key)));
      await reload();
      toasts.good(`${key.name} deleted`);
      return true;
    } catch (error) {
      toasts.bad(`Couldn’t delete ${key.name}`, error);
      return false;
    }
  }

  return { setActive, resetUsage, regenerate, remove };
}

export type KeyActions = ReturnType<typeof keyActions>;
