import { requestRowOf } from '../../../projections/requestLog.ts';
import { position } from '../../domain/core/brands.ts';
import { type Json, toJson } from '../../domain/core/redact.ts';
import { ExplainSource } from '../../replay/explain/explainSource.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';
import { requestLogEntry } from '../resources/requestLogs.ts';

/**
 * A request as the request log shows it at a moment; one that was admitted and had not ended then as what was announced of it.
 * @param location the log's file, as SQLite opens it
 * @param endAt position of its end if that is known; else the log is searched from its end
 * @returns null when the log has neither up to there: of a short request, only its end is recorded
 */
export function requestEntry(
  location: string,
  requestId: string,
  state: HotState,
  { vault, endAt }: { readonly vault: Vault; readonly endAt: number | undefined },
): Json {
  const source = new ExplainSource(location);
  try {
    const at = endAt === undefined ? undefined : position(endAt);
    const end = source.endOf(requestId, at) ?? source.importOf(requestId, at);
    if (end && end.position <= state.position)
      return toJson(requestLogEntry(requestRowOf(end, position(end.position)), vault));
    const open = state.openRequests.get(requestId)?.data;
    return open
      ? toJson({ request_id: requestId, model: open.model, api_key_id: open.keyId, route: open.route, status: 'open' })
      : null;
  } finally {
    source.close();
  }
}
