import type { Schemas } from './client.ts';

/** The status of the node, which has no past: also while the page shows an earlier moment. Rejects when it cannot be read. */
export async function statusNow(): Promise<Schemas['Status']> {
  const response = await fetch('/api/status', { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The status cannot be read: ${response.status}.`);
  return (await response.json()) as Schemas['Status'];
}
