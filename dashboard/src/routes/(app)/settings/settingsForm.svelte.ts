import { answerOf, api, type Schemas } from '#lib/api/client.ts';
import { type Resource, resource } from '#lib/live/resource.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

export type Settings = Schemas['Settings'];
type Change = Partial<Omit<Settings, 'totp_configured'>>;

/** The settings, and how they are changed: at once, with a way back. */
export class SettingsForm {
  readonly stored: Resource<Settings>;
  /** What was chosen and is on its way: switches show it already. */
  #chosen = $state.raw<Change>({});

  constructor() {
    this.stored = resource('settings', () => answerOf(api.GET('/api/settings')), { on: ['settings'] });
  }

  get shown(): Settings | undefined {
    return this.stored.data && { ...this.stored.data, ...this.#chosen };
  }

  /** @param said what it means from now on */
  async change(change: Change, said: string): Promise<boolean> {
    const before = this.stored.data;
    if (!before) return false;
    this.#chosen = { ...this.#chosen, ...change };
    try {
      const { totp_configured: _, ...body } = { ...before, ...change };
      await answerOf(api.PUT('/api/settings', { body }));
      await this.stored.now();
      const back = Object.fromEntries(Object.keys(change).map((name) => [name, before[name as keyof Settings]]));
      toasts.good(said, { action: { label: 'Undo', run: () => void this.change(back, 'Change undone') } });
      return true;
    } catch (error) {
      toasts.bad('Couldn’t change the setting', error);
      return false;
    } finally {
      this.#chosen = {};
    }
  }
}
