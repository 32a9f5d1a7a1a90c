import { redirect } from '@sveltejs/kit';
import { nextPath } from '#lib/session/nextPath.ts';
import { session } from '#lib/session/session.svelte.ts';

/** Reloads the session: another tab may have signed in. */
export async function load({ url }: { url: URL }): Promise<void> {
  const status = await session.refresh();
  if (status === 'set-up') redirect(307, '/set-up');
  // While no sign-in is needed on this machine, operators may still sign in with their name.
  if (status === 'in' || (status === 'open' && !session.state?.hasOperators)) redirect(307, nextPath(url.searchParams));
}
