import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { browserOf } from '#lib/format/actors.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

type Session = Schemas['Session'];

/** Browser and address of a session, in words. */
export const clientOf = ({ user_agent, address }: Session) => ({
  browser: browserOf(user_agent),
  address: address ?? 'an unknown address',
});

/** Ends sessions one by one: the call for all others ends those of everyone for an administrator. */
export async function endSessions(ended: readonly Session[]): Promise<void> {
  try {
    await Promise.all(
      ended.map(({ session_id: id }) => unwrap(api.DELETE('/api/sessions/{id}', { params: { path: { id } } }))),
    );
    const [only] = ended;
    const { browser, address } = only && ended.length === 1 ? clientOf(only) : { browser: '', address: '' };
    toasts.good(ended.length === 1 ? `${browser} at ${address} signed out` : `${ended.length} sessions signed out`);
  } catch (error) {
    toasts.bad(ended.length === 1 ? 'Couldn’t sign out the session' : 'Couldn’t sign out the sessions', error);
  }
}
