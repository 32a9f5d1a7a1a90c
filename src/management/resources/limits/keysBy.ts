import type { ApiKey } from '../../../domain/apiKey/state.ts';
import type { HotState } from '../../../state/fold/hotState.ts';

/** How many keys have each owner, or are in each team; those without one are left out. */
export function keysBy(
  { apiKeys }: Pick<HotState, 'apiKeys'>,
  groupOf: (key: ApiKey) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of apiKeys.values()) {
    const group = groupOf(key);
    if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}
