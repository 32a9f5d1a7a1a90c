import { session } from '#lib/session/session.svelte.ts';

/** A person who is signed in here already is warned before accepting. */
export async function load(): Promise<void> {
  await session.refresh();
}
