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
      await answerOf(api.PATCH('/api/api-keys/{id}', { ...params(key), body: { reset_usage: true } }));
      await changed();
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
      const made = await answerOf(api.POST('/api/api-keys/{id}/regenerate', params(key)));
      await changed();
      show({ name: made.name, value: made.key ?? '', models: made.allowed_models, isNew: false });
    } catch (error) {
      toasts.bad(`Couldn’t regenerate ${key.name}`, error);
    }
  }

  /** @returns whether it is gone */
  async function remove(key: Key): Promise<boolean> {
    const isSure = await confirm({
      title: `Delete ${key.name}?`,
      body: 'It stops working immediately and cannot be restored. Its history and request log remain.',
      action: 'Delete key',
      typed: key.name,
    });
    if (!isSure) return false;
    try {
      await answerOf(api.DELETE('/api/api-keys/{id}', params(key)));
      await changed();
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
