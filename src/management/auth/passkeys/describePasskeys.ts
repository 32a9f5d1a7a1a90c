import type { Instant } from '../../../domain/core/brands.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import type { Directory } from '../../people/directory.ts';

/** A passkey with its uses. */
export interface DescribedPasskey {
  readonly id: string;
  /** Null once the person was forgotten. */
  readonly name: string | null;
  readonly addedAt: Instant;
  readonly lastUsedAt: Instant | null;
  /** When a use was last refused because its counter went back. */
  readonly regressedAt: Instant | null;
}

/** The passkeys of an operator in a state, those added first at the beginning. */
export const describePasskeys = (
  operatorId: string,
  { operators, passkeyUses }: Pick<HotState, 'operators' | 'passkeyUses'>,
  directory: Pick<Directory, 'open'>,
): DescribedPasskey[] =>
  [...(operators.byId.get(operatorId)?.passkeys.byId.values() ?? [])].map(({ id, name, addedAt }) => {
    const { lastUsedAt = null, regressedAt = null } = passkeyUses.get(operatorId)?.byId.get(id) ?? {};
    return { id, name: directory.open(name), addedAt, lastUsedAt, regressedAt };
  });
