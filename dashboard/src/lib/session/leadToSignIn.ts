import { signInPath } from './nextPath.ts';
import type { SignedIn } from './session.svelte.ts';

export interface LeadToSignInOptions {
  /** The page that somebody looks at. */
  readonly here: () => { readonly pathname: string; readonly search: string };
  /** Whether somebody signs out by a click, which knows its own way. */
  readonly isLeaving: () => boolean;
  /** Asks the service how far this browser has signed in. May reject: then it does not answer, and nobody is led away. */
  readonly refresh: () => Promise<SignedIn>;
  readonly goTo: (path: string) => Promise<void>;
}

/**
 * To be called with each answer that says that the session has ended: sign in, and come back here. Every request that was
 * under way says so, and the first one counts: to a later one the sign-in itself would be the page to come back to.
 */
export function leadToSignIn({ here, isLeaving, refresh, goTo }: LeadToSignInOptions): () => Promise<void> {
  let isLeading = false;
  return async () => {
    if (isLeaving() || isLeading) return;
    isLeading = true;
    const { pathname, search } = here();
    try {
      const signedIn = await refresh().catch(() => undefined);
      if (signedIn === undefined || signedIn === 'in' || signedIn === 'open') return;
      await goTo(signedIn === 'set-up' ? '/set-up' : signInPath({ pathname, search }));
    } finally {
      isLeading = false;
    }
  };
}
