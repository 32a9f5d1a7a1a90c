import type { LimitRule } from '../../../domain/limits/limitRule.ts';
import { limitTypes } from '../../../domain/limits/limitTypes.ts';

/** What is reserved on a limit, as the API shows it. @param amount in the unit of the rule's counter */
export function reservedFields({ limitType }: Pick<LimitRule, 'limitType'>, amount: number) {
  const value = amount / limitTypes[limitType].amountsPerUnit;
  return { reserved_value: Math.floor(value), ...(limitType === 'cost_usd' && { reserved_cost_usd: value }) };
}
