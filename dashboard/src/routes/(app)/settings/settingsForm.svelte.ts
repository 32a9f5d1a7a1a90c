import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { type Resource, resource } from '#lib/live/resource.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

export type Settings = Schemas['Settings'];
type Change = Partial<Omit<Settings, 'totp_configured'>>;

/** The settings; each change is saved immediately and can be undone. */
export class SettingsForm {
  readonly stored: Resource<Settings>;
  /** Changes being saved; switches already show them. */
  #pending = $state.raw<Change>({});

  constructor() {
    this.stored = resource('settings', () => unwrap(api.GET('/api/settings')), { on: ['settings'] });
  }

  get shown(): Settings | undefined {
    return this.stored.data && { ...this.stored.data, ...this.#pending };
  }

  /** @param message notification on success */
  async change(change: Change, message: string): Promise<boolean> {
    const before = this.stored.data;
    if (!before) return false;
    this.#pending = { ...this.#pending, ...change };
    try {
      const { totp_configured: _, ...body } = { ...before, ...change };
      await unwrap(api.PUT('/api/settings', { body }));
      await this.stored.reloadNow();
      const previous = Object.fromEntries(Object.keys(change).map((name) => [name, before[name as keyof Settings]]));
      toasts.good(message, { action: { label: 'Undo', run: () => void this.change(previous, 'Change undone') } });
      return true;
    } catch (error) {
      toasts.bad('Couldn’t change the setting', error);
      return false;
    } finally {
      this.#pending = {};
    }
  }
}
