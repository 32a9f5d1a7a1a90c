import { redirect } from '@sveltejs/kit';
import { session } from '#lib/session/session.svelte.ts';

export async function load(): Promise<void> {
  const status = await session.refresh();
  if (status !== 'set-up' && status !== 'open' && !session.state?.signInWays?.setUp)
    redirect(307, status === 'in' ? '/' : '/sign-in');
}
