import { redirect } from '@sveltejs/kit';
import { ApiError } from '#lib/api/apiError.ts';
import { nextPath } from '#lib/session/nextPath.ts';
import { oidcErrorText } from '#lib/session/oidcErrors.ts';
import { session } from '#lib/session/session.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

/** Reloads the session: another tab may have signed in. */
export async function load({ url }: { url: URL }): Promise<void> {
  const status = await session.refresh();
  if (status === 'set-up') redirect(307, '/set-up');
  if (status === 'in') {
    // Who was to prove again who they are remains signed in.
    const code = url.searchParams.get('error');
    if (code !== null) toasts.bad('You were not confirmed', new ApiError(401, code, oidcErrorText(code) ?? ''));
    redirect(307, nextPath(url.searchParams));
  }
  // While no sign-in is needed on this machine, operators may still sign in with their name.
  if (status === 'open' && !session.state?.signInWays) redirect(307, nextPath(url.searchParams));
}
