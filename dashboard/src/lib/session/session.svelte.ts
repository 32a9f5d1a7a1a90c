import { ApiError } from '../api/apiError.ts';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { clearResourceCache } from '../live/resource.svelte.ts';

type State = Schemas['DashboardSession'];
export type Role = NonNullable<State['operator']>['role'];

/** The id of the built-in administrator, who alone signs in without a name. */
const BUILT_IN = 'administrator';

/**
 * `open`: no sign-in is needed and this browser runs on the service's machine, so it has full access; `set-up`: this browser runs
 * elsewhere, and no one can sign in before a password is set; `totp`: the second factor must be verified; `totp-set-up`: it must be set up.
 */
export type SessionStatus = 'in' | 'open' | 'set-up' | 'out' | 'totp' | 'totp-set-up';

/** Sign-in state of this browser. The session cookie is HttpOnly, so the service has to be asked. */
class Session {
  state = $state.raw<State | undefined>(undefined);
  status = $state<SessionStatus | undefined>(undefined);
  /** From the click on "Sign out" until the next sign-in. */
  isSigningOut = false;
  /** Whether a session ended by itself, or was ended by an administrator, until the next sign-in. */
  hasEnded = $state(false);

  /** What this browser may do; see `may`. */
  get role(): Role {
    return this.state?.operator?.role ?? 'administrator';
  }

  /** The id of who is signed in. */
  get personId(): string {
    return this.state?.operator?.id ?? BUILT_IN;
  }

  get isBuiltIn(): boolean {
    return this.personId === BUILT_IN;
  }

  get personName(): string {
    return this.state?.operator?.name ?? 'Built-in administrator';
  }

  /** Loads the state. @throws ApiError when the service is unreachable */
  async refresh(): Promise<SessionStatus> {
    return this.apply((await stateFromPage()) ?? (await unwrap(api.GET('/api/dashboard-auth/session'))));
  }

  /** Applies a session response. */
  async apply(state: State): Promise<SessionStatus> {
    this.state = state;
    this.status = await statusOf(state);
    if (this.status === 'in') {
      this.isSigningOut = false;
      this.hasEnded = false;
    }
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

/** The state that the page asked for itself (app.html), once; undefined when that failed. */
async function stateFromPage(): Promise<State | undefined> {
  const asked = window.svcSession;
  delete window.svcSession;
  return asked?.catch(() => undefined);
}

async function statusOf(state: State): Promise<SessionStatus> {
  if (state.isPasswordVerified) {
    if (state.mustSetUpTotp) return 'totp-set-up';
    return state.isTotpRequiredOnLogin && state.isTotpConfigured && !state.isTotpVerified ? 'totp' : 'in';
  }
  if (state.isPasswordConfigured) return 'out';
  if (await isOpenHere()) return 'open';
  return state.signInWays ? 'out' : 'set-up';
}

/** Only the service knows whether this browser runs on its machine. Not by `api`, which would ask for the moment that the page shows. */
async function isOpenHere(): Promise<boolean> {
  const response = await fetch('/api/settings', { credentials: 'same-origin' }).catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  return response.ok;
}

export const session = new Session();
