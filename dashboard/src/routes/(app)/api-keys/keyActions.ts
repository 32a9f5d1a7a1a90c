import { answerOf, api } from '#lib/api/client.ts';
import { confirm } from '#lib/ui/confirm.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';
import type { Key } from './limits.ts';

const params = ({ id }: Key) => ({ params: { path: { id } } });

export interface ShownKey {
  readonly name: string;
  readonly value: string;
  readonly models: readonly string[] | null;
  readonly isNew: boolean;
}

interface Told {
  readonly changed: () => Promise<void>;
  /** A value that can be shown this once. */
  readonly show: (shown: ShownKey) => void;
}

/** What can be done to a key; each says what became of it. */
export function keyActions({ changed, show }: Told) {
  async function setActive(key: Key, is_active: boolean): Promise<void> {
    try {
      await answerOf(api.PATCH('/api/api-keys/{id}', { ...params(key), body: { is_active } }));
      await changed();
      toasts.good(is_active ? `${key.name} works again` : `${key.name} no longer works`, {
        action: { label: 'Undo', run: () => void setActive(key, !is_active) },
      });
    } catch (error) {
      toasts.bad(`${key.name} was not changed`, error);
    }
  }

  async function resetUsage(key: Key): Promise<void> {
    const isSure = await confirm({
      title: `Reset the usage of ${key.name}?`,
      body: 'All its limits begin again at zero. The request log keeps what was used.',
      action: 'Reset usage',
    });
    if (!isSure) return;
    try {
      await answerOf(api.PATCH('/api/api-keys/{id}', { ...params(key), body: { reset_usage: true } }));
      await changed();
      toasts.good(`The limits of ${key.name} begin again at zero`);
    } catch (error) {
      toasts.bad('The usage was not reset', error);
    }
  }

  async function regenerate(key: Key): Promise<void> {
    const isSure = await confirm({
      title: `Give ${key.name} a new value?`,
      body: 'The present value stops working at once: everybody who uses it needs the new one. Limits and usage stay.',
      action: 'Make a new value',
    });
    if (!isSure) return;
    try {
      const made = await answerOf(api.POST('/api/api-keys/{id}/regenerate', params(key)));
      await changed();
      show({ name: made.name, value: made.key ?? '', models: made.allowed_models, isNew: false });
    } catch (error) {
      toasts.bad(`${key.name} kept its value`, error);
    }
  }

  /** @returns whether it is gone */
  async function remove(key: Key): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${key.name}?`,
      body: 'It stops working at once and cannot be brought back. What was done with it stays in the history and the request log.',
      action: 'Delete key',
      typed: key.name,
    });
    if (!isSure) return false;
    try {
      await answerOf(api.DELETE('/api/api-keys/{id}', params(key)));
      await changed();
      toasts.good(`${key.name} is deleted`);
      return true;
    } catch (error) {
      toasts.bad(`${key.name} was not deleted`, error);
      return false;
    }
  }

  return { setActive, resetUsage, regenerate, remove };
}

export type KeyActions = ReturnType<typeof keyActions>;
