import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { typesOf } from '../eventKinds.ts';
import type { Stop } from './moment.ts';

/** State that the API can show for a past moment. */
export interface State {
  readonly accounts: readonly Schemas['Account'][];
  readonly keys: readonly Schemas['ApiKey'][];
  readonly firewall: { readonly mode: string; readonly entries: readonly { ip_address: string; created_at: string }[] };
  readonly settings: Schemas['Settings'];
}

/** @param at a position or a time; without it, now */
async function stateAt(at?: string): Promise<State> {
  const params = { params: { query: at === undefined ? {} : { at } } };
  const [{ accounts }, keys, firewall, settings] = await Promise.all([
    unwrap(api.GET('/api/accounts', params)),
    unwrap(api.GET('/api/api-keys', params)),
    unwrap(api.GET('/api/firewall/ips', params)),
    unwrap(api.GET('/api/settings', params)),
  ]);
  return { accounts, keys, firewall, settings };
}

const MAX_STOPS = 200;

/** The latest changes of that state, oldest first. */
export async function latestStops(): Promise<Stop[]> {
  const type = typesOf(['accounts', 'keys', 'settings']).filter((name) => !name.startsWith('AccountLink'));
  const query = { type, limit: MAX_STOPS };
  const { events } = await unwrap(api.GET('/api/history', { params: { query } }));
  return events.reverse();
}

/** The state at a moment. The previous moment stays visible while another one loads. */
export class PastState {
  state = $state.raw<State>();
  error = $state.raw<ApiError>();
  isStale = $state(false);
  /** Current state, to mark differences. */
  present = $state.raw<State>();
  #generation = 0;

  async show(at: string): Promise<void> {
    const generation = ++this.#generation;
    this.isStale = true;
    try {
      const [state, present] = await Promise.all([stateAt(at), stateAt()]);
      if (generation !== this.#generation) return;
      this.state = state;
      this.present = present;
      this.error = undefined;
    } catch (reason) {
      if (generation === this.#generation) this.error = asApiError(reason);
    } finally {
      if (generation === this.#generation) this.isStale = false;
    }
  }
}
