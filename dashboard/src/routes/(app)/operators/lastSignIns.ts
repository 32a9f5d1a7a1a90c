import { api, unwrap } from '#lib/api/client.ts';

/** The latest sign-ins that one request returns. */
const MAX_SIGN_INS = 200;

export interface LastSignIns {
  /** Times by operator id. */
  readonly at: ReadonlyMap<string, string>;
  /** The time up to which earlier sign-ins are not among them; null when these are all. */
  readonly since: string | null;
}

/** The last sign-in of each person, from the latest sign-ins of the history. */
export async function loadLastSignIns(): Promise<LastSignIns> {
  const query = { type: ['SessionBegun'], limit: MAX_SIGN_INS };
  const { events, next_cursor } = await unwrap(api.GET('/api/history', { params: { query } }));
  const at = new Map<string, string>();
  for (const { actor, time } of events) {
    if (actor.kind === 'operator' && !at.has(actor.operator_id)) at.set(actor.operator_id, time);
  }
  return { at, since: next_cursor === null ? null : (events.at(-1)?.time ?? null) };
}
