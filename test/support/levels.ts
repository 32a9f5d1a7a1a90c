import type { ApiKeyId } from '../../src/domain/core/brands.ts';
import type { PerRule } from '../../src/domain/limits/admit.ts';
import type { LevelAmounts } from '../../src/domain/limits/admitLevels.ts';
import { type LimitedLevel, type LimitLevel, ownerHolder, teamHolder } from '../../src/domain/limits/limitLevel.ts';
import type { LimitRule } from '../../src/domain/limits/limitRule.ts';

/** A level of a request, as the hot state would give it. */
export function limitedLevel(level: LimitLevel, subject: string, rules: readonly LimitRule[]): LimitedLevel {
  const holder = { key: () => subject as ApiKeyId, owner: () => ownerHolder(subject), team: () => teamHolder(subject) };
  return { level, subject, holder: holder[level](), rules };
}

/** What a request reserves on the rules of its key. */
export const onKey = (
  { id, rules }: { readonly id: ApiKeyId; readonly rules: readonly LimitRule[] },
  amounts: PerRule,
): LevelAmounts[] => [{ level: limitedLevel('key', id, rules), amounts }];
