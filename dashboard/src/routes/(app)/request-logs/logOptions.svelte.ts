import { answerOf, api } from '#lib/api/client.ts';
import type { LogOptions } from './facets.ts';
import { conditionsOf, type LogFilter } from './logFilter.ts';

/** What the list can be narrowed to. While it is asked for, what was known before stands there. */
export class LogOptionsSource {
  current = $state.raw<LogOptions>();
  #turn = 0;

  async ask(filter: LogFilter): Promise<void> {
    const turn = ++this.#turn;
    const { search: _, ...query } = conditionsOf(filter, Date.now());
    // Without it the menus offer what is chosen, and the list itself says what is wrong.
    const found = await answerOf(api.GET('/api/request-logs/options', { params: { query } })).catch(() => undefined);
    if (turn === this.#turn && found) this.current = found;
  }
}
