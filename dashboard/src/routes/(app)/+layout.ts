import { redirect } from '@sveltejs/kit';
import { signInPath } from '#lib/session/nextPath.ts';
import { session } from '#lib/session/session.svelte.ts';
import { homePath } from '#lib/shell/pages.ts';

/** Loads the session once at the start; afterwards 401 responses and the live stream report its end. */
export async function load({ url }: { url: URL }): Promise<void> {
  const status = session.status ?? (await session.refresh());
  if (status === 'set-up') redirect(307, '/set-up');
  if (status === 'out' || status === 'totp' || status === 'totp-set-up') redirect(307, signInPath(url));
  // Those who may not see the overview start at the first page that they may.
  if (url.pathname === '/' && homePath() !== '/') redirect(307, homePath());
}
