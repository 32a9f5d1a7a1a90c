import { signInPath } from './nextPath.ts';
import type { SessionStatus } from './session.svelte.ts';

export interface RedirectToSignInOptions {
  /** The current page. */
  readonly currentUrl: () => { readonly pathname: string; readonly search: string };
  /** Whether the operator is signing out, which redirects on its own. */
  readonly isSigningOut: () => boolean;
  /** Asks the service for the state of the session. No redirect when it rejects: the service is unreachable. */
  readonly refresh: () => Promise<SessionStatus>;
  readonly navigate: (path: string) => Promise<void>;
}

/**
 * Returns a function to call for each response that says that the session has ended. It redirects to the sign-in page with
 * the way back. All open requests get such a response; only the first redirects, since for later ones the sign-in page
 * itself would be the current page.
 */
export function redirectToSignIn({
  currentUrl,
  isSigningOut,
  refresh,
  navigate,
}: RedirectToSignInOptions): () => Promise<void> {
  let isRedirecting = false;
  return async () => {
    if (isSigningOut() || isRedirecting) return;
    isRedirecting = true;
    const { pathname, search } = currentUrl();
    try {
      const status = await refresh().catch(() => undefined);
      if (status === undefined || status === 'in' || status === 'open') return;
      await navigate(status === 'set-up' ? '/set-up' : signInPath({ pathname, search }));
    } finally {
      isRedirecting = false;
    }
  };
}
