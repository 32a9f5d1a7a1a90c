import { goto } from '$app/navigation';
import { api, unwrap } from './api/client.ts';
import type { paths } from './api/openapi.d.ts';
import { toasts } from './ui/toasts.svelte.ts';

type Body = NonNullable<paths['/api/evidence']['post']['requestBody']>['content']['application/json'];

/** Which events an evidence bundle has. */
export type EvidenceSelection = Body;

/** Starts to make an evidence bundle, and opens the page that shows its progress and offers the file. */
export async function startEvidence(selection: EvidenceSelection): Promise<void> {
  try {
    await unwrap(api.POST('/api/evidence', { body: selection }));
    await goto('/integrity');
  } catch (error) {
    toasts.bad('Couldn’t make an evidence bundle', error);
  }
}
