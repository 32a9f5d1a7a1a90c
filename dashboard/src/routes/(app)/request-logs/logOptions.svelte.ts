import { api, unwrap } from '#lib/api/client.ts';
import { now } from '#lib/ui/now.svelte.ts';
import type { LogOptions } from './facets.ts';
import { conditionsOf, type LogFilter } from './logFilter.ts';

/** Values for the filter menus. The previous values stay while new ones load. */
export class LogOptionsSource {
  current = $state.raw<LogOptions>();
  #generation = 0;

  async load(filter: LogFilter): Promise<void> {
    const generation = ++this.#generation;
    const { search: _, ...query } = conditionsOf(filter, now.current);
    // On failure the menus offer only the chosen values; the list shows the error.
    const found = await unwrap(api.GET('/api/request-logs/options', { params: { query } })).catch(() => undefined);
    if (generation === this.#generation && found) this.current = found;
  }
}
