import { redirect } from '@sveltejs/kit';
import { signInPath } from '#lib/session/nextPath.ts';
import { session } from '#lib/session/session.svelte.ts';

/** Loads the session once at the start; afterwards 401 responses and the live stream report its end. */
export async function load({ url }: { url: URL }): Promise<void> {
  const signedIn = session.signedIn ?? (await session.refresh());
  if (signedIn === 'set-up') redirect(307, '/set-up');
  if (signedIn === 'out' || signedIn === 'totp') redirect(307, signInPath(url));
}
