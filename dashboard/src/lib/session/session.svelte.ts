import { ApiError } from '../api/apiError.ts';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { forgetEverything } from '../live/resource.svelte.ts';

type State = Schemas['DashboardSession'];

/**
 * `open`: no password yet, and this browser sits at the machine, so everything is open to it; `set-up`: no password
 * yet, and this browser is somewhere else.
 */
export type SignedIn = 'in' | 'open' | 'set-up' | 'out' | 'totp';

/** How far this browser has signed in. The cookie says so to the service; scripts cannot read it. */
class Session {
  state = $state.raw<State | undefined>(undefined);
  signedIn = $state<SignedIn | undefined>(undefined);
  /** From the click on "Sign out" until somebody signs in again. */
  isLeaving = false;

  /** Asks the service. @throws ApiError when it does not answer */
  async refresh(): Promise<SignedIn> {
    return this.take(await answerOf(api.GET('/api/dashboard-auth/session')));
  }

  /** Goes by what the service answered. */
  async take(state: State): Promise<SignedIn> {
    this.state = state;
    this.signedIn = await signedInBy(state);
    if (this.signedIn === 'in') this.isLeaving = false;
    return this.signedIn;
  }

  /** Whoever leaves on purpose is not led back to the page they left, however soon its requests notice. */
  async signOut(): Promise<void> {
    this.isLeaving = true;
    try {
      await answerOf(api.POST('/api/dashboard-auth/logout'));
      forgetEverything();
      await this.refresh();
    } catch (error) {
      this.isLeaving = false;
      throw error;
    }
  }
}

async function signedInBy(state: State): Promise<SignedIn> {
  if (!state.isPasswordConfigured) return (await isOpenHere()) ? 'open' : 'set-up';
  if (!state.isPasswordVerified) return 'out';
  return state.isTotpRequiredOnLogin && state.isTotpConfigured && !state.isTotpVerified ? 'totp' : 'in';
}

/** Only the service knows from where it is called. */
async function isOpenHere(): Promise<boolean> {
  const { response } = await api.GET('/api/settings').catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  return response.ok;
}

export const session = new Session();
