import { redirect } from '@sveltejs/kit';
import { signInPath } from '#lib/session/nextPath.ts';
import { session } from '#lib/session/session.svelte.ts';

/** Loads the session once at the start; afterwards 401 responses and the live stream report its end. */
export async function load({ url }: { url: URL }): Promise<void> {
  const status = session.status ?? (await session.refresh());
  if (status === 'set-up') redirect(307, '/set-up');
  if (status === 'out' || status === 'totp') redirect(307, signInPath(url));
}
