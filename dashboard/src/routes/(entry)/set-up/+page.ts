import { redirect } from '@sveltejs/kit';
import { session } from '#lib/session/session.svelte.ts';

export async function load(): Promise<void> {
  const signedIn = await session.refresh();
  if (signedIn !== 'set-up' && signedIn !== 'open') redirect(307, signedIn === 'in' ? '/' : '/sign-in');
}
