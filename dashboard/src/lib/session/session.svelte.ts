import { ApiError } from '../api/apiError.ts';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { clearResourceCache } from '../live/resource.svelte.ts';

type State = Schemas['DashboardSession'];

/**
 * `open`: no password is set and this browser runs on the service's machine, so it has full access; `set-up`: no password
 * is set and this browser runs elsewhere.
 */
export type SessionStatus = 'in' | 'open' | 'set-up' | 'out' | 'totp';

/** Sign-in state of this browser. The session cookie is HttpOnly, so the service has to be asked. */
class Session {
  state = $state.raw<State | undefined>(undefined);
  status = $state<SessionStatus | undefined>(undefined);
  /** From the click on "Sign out" until the next sign-in. */
  isSigningOut = false;

  /** Loads the state. @throws ApiError when the service is unreachable */
  async refresh(): Promise<SessionStatus> {
    return this.apply(await unwrap(api.GET('/api/dashboard-auth/session')));
  }

  /** Applies a session response. */
  async apply(state: State): Promise<SessionStatus> {
    this.state = state;
    this.status = await statusOf(state);
    if (this.status === 'in') this.isSigningOut = false;
    return this.status;
  }

  /** Sets `isSigningOut` first, so that 401 responses to open requests do not redirect. */
  async signOut(): Promise<void> {
    this.isSigningOut = true;
    try {
      await unwrap(api.POST('/api/dashboard-auth/logout'));
      clearResourceCache();
      await this.refresh();
    } catch (error) {
      this.isSigningOut = false;
      throw error;
    }
  }
}

async function statusOf(state: State): Promise<SessionStatus> {
  if (!state.isPasswordConfigured) return (await isOpenHere()) ? 'open' : 'set-up';
  if (!state.isPasswordVerified) return 'out';
  return state.isTotpRequiredOnLogin && state.isTotpConfigured && !state.isTotpVerified ? 'totp' : 'in';
}

/** Only the service knows whether this browser runs on its machine. */
async function isOpenHere(): Promise<boolean> {
  const { response } = await api.GET('/api/settings').catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  return response.ok;
}

export const session = new Session();
