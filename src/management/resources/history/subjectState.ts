import type { AccountId, ApiKeyId } from '../../../domain/core/brands.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import { asJson, type Json } from './redact.ts';

/** What one stream says of its subject, in the fold; null for streams whose events stand for themselves. */
export function subjectState(stream: string, state: HotState): Json {
  const dash = stream.indexOf('-');
  const id = stream.slice(dash + 1);
  switch (stream.slice(0, dash)) {
    case 'account':
      return asJson(state.accounts.get(id as AccountId));
    case 'accountLink':
      return asJson(state.links.get(id));
    case 'accountTokens':
      return asJson(state.tokens.get(id as AccountId));
    case 'accountUsage':
      return asJson(state.usage.get(id.replace(/_\d{6}$/, '') as AccountId));
    case 'apiKey':
      return keyState(id as ApiKeyId, state);
    case 'firewall':
      return asJson(state.firewall);
    case 'modelCatalogue':
      return asJson(state.models.plans);
    case 'pricing':
      return asJson(state.prices);
    case 'settings':
      return asJson({ ...state.settings, dashboardAuth: state.dashboardAuth });
    default:
      return null;
  }
}

function keyState(id: ApiKeyId, state: HotState): Json {
  const key = state.apiKeys.get(id);
  if (!key) return null;
  const counters = state.counters.get(id);
  const used = [...(counters?.byRule ?? [])].map(([ruleId, { value }]) => [ruleId, value]);
  return asJson({ ...key, lastUsedAt: counters?.lastUsedAt ?? null, used: Object.fromEntries(used) });
}
