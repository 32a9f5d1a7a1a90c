import { redirect } from '@sveltejs/kit';
import { signInPath } from '#lib/session/nextPath.ts';
import { session } from '#lib/session/session.svelte.ts';

/** Asked once when the application starts; from then on answers and the live stream tell. */
export async function load({ url }: { url: URL }): Promise<void> {
  const signedIn = session.signedIn ?? (await session.refresh());
  if (signedIn === 'set-up') redirect(307, '/set-up');
  if (signedIn === 'out' || signedIn === 'totp') redirect(307, signInPath(url));
}
