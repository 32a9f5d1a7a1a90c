import { SEVERAL_ACCOUNTS } from '../../../../projections/history.ts';
import type { AccountId, ApiKeyId, TeamId } from '../../../domain/core/brands.ts';
import { type Json, toJson } from '../../../domain/core/redact.ts';
import { type LimitHolder, ownerHolder, teamHolder } from '../../../domain/limits/limitLevel.ts';
import { ownerOfStream } from '../../../domain/owner/ownerName.ts';
import type { HotState } from '../../../state/fold/hotState.ts';

/** Returns the folded state that the events of a stream change; null for streams that change no state. */
export function subjectState(stream: string, state: HotState): Json {
  const dash = stream.indexOf('-');
  const id = stream.slice(dash + 1);
  switch (stream.slice(0, dash)) {
    case 'account':
      return toJson(state.accounts.get(id as AccountId));
    case 'accountLink':
      return toJson(state.links.get(id));
    case 'accountTokens':
      return toJson(state.tokens.get(id as AccountId));
    case 'accountUsage':
      return toJson(state.usage.get(id.replace(/_\d{6}$/, '') as AccountId));
    case 'accountCoolDown':
      return toJson(
        id === SEVERAL_ACCOUNTS ? Object.fromEntries(state.coolDowns) : state.coolDowns.get(id as AccountId),
      );
    case 'apiKey':
      return toJson(withUsage(state.apiKeys.get(id as ApiKeyId), id as ApiKeyId, state));
    case 'clock':
      return toJson(state.windowsClock);
    case 'firewall':
      return toJson(state.firewall);
    case 'holds':
      return toJson(state.holds.active);
    case 'managementToken':
      return toJson(state.managementTokens.get(id));
    case 'modelCatalogue':
      return toJson(state.models.plans);
    case 'node':
      return toJson(state.audit.nodes.get(id));
    case 'operator':
      return toJson(state.operators.byId.get(id));
    case 'owner':
      return toJson(withUsage(state.owners.get(ownerOfStream(id)), ownerHolder(ownerOfStream(id)), state));
    case 'pricing':
      return toJson(state.prices);
    case 'team':
      return toJson(withUsage(state.teams.get(id as TeamId), teamHolder(id), state));
    case 'settings':
      return toJson({ ...state.settings, dashboardAuth: state.dashboardAuth });
    default:
      return null;
  }
}

/** A key, an owner or a team with what the current windows of its limits have counted. */
function withUsage(limited: object | undefined, holder: LimitHolder, state: HotState): object | null {
  if (!limited) return null;
  const counters = state.counters.get(holder);
  const used = [...(counters?.byRule ?? [])].map(([ruleId, [, used = 0]]) => [ruleId, used]);
  return { ...limited, lastUsedAt: counters?.lastUsedAt ?? null, used: Object.fromEntries(used) };
}
