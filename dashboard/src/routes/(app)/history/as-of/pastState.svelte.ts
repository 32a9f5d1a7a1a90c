import { type ApiError, asApiError } from '#lib/api/apiError.ts';
import { answerOf, api, type Schemas } from '#lib/api/client.ts';
import { typesOf } from '../eventKinds.ts';
import type { Stop } from './moment.ts';

/** What the service can show as it was. */
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
    answerOf(api.GET('/api/accounts', params)),
    answerOf(api.GET('/api/api-keys', params)),
    answerOf(api.GET('/api/firewall/ips', params)),
    answerOf(api.GET('/api/settings', params)),
  ]);
  return { accounts, keys, firewall, settings };
}

const MAX_STOPS = 200;

/** The latest changes of what can be shown as it was, the oldest first. */
export async function latestStops(): Promise<Stop[]> {
  const type = typesOf(['accounts', 'keys', 'settings']).filter((name) => !name.startsWith('AccountLink'));
  const query = { type, limit: MAX_STOPS };
  const { events } = await answerOf(api.GET('/api/history', { params: { query } }));
  return events.reverse();
}

/** A moment and what was then. While another one is asked for, the one before stands there. */
export class PastState {
  state = $state.raw<State>();
  error = $state.raw<ApiError>();
  isTurning = $state(false);
  /** To tell what is another one since. */
  present = $state.raw<State>();
  #turn = 0;

  async show(at: string): Promise<void> {
    const turn = ++this.#turn;
    this.isTurning = true;
    try {
      const [state, present] = await Promise.all([stateAt(at), stateAt()]);
      if (turn !== this.#turn) return;
      this.state = state;
      this.present = present;
      this.error = undefined;
    } catch (reason) {
      if (turn === this.#turn) this.error = asApiError(reason);
    } finally {
      if (turn === this.#turn) this.isTurning = false;
    }
  }
}
