import { z } from 'zod';
import { MAX_LIMITS, MAX_MODEL_BYTES } from '../../../domain/limits/bounds.ts';
import type { LimitRuleInput } from '../../../domain/limits/changeRules.ts';
import { limitTypeSchema, limitWindowSchema, onExceededSchema } from '../../../domain/limits/limitRule.ts';
import { limitTypes } from '../../../domain/limits/limitTypes.ts';
import { boundedArray, wireObject } from '../../http/wireObject.ts';

/** An unpaired surrogate would not survive storage in UTF-8. */
export const text = z.string().refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

/** The name of a model that is stored. */
export const model = text.max(MAX_MODEL_BYTES, `must be at most ${MAX_MODEL_BYTES} bytes long`);

/** A limit as the API takes it. */
export const LimitInput = wireObject(
  {
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int().min(1),
    model_filter: model.nullish(),
    on_exceeded: onExceededSchema(z)
      .optional()
      .describe(
        'What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`',
      ),
  },
  ['id', 'current_value', 'reset_at', 'reserved_value', 'current_cost_usd', 'reserved_cost_usd'],
).superRefine(({ limit_type, max_value }, { addIssue }) => {
  const { maxValue } = limitTypes[limit_type];
  if (max_value > maxValue) {
    addIssue({ code: 'custom', path: ['max_value'], message: `must be at most ${maxValue} for ${limit_type}` });
  }
});

/** A limit of the API as a command takes it. */
export const limitRuleInput = (rule: z.output<typeof LimitInput>): LimitRuleInput => ({
  limitType: rule.limit_type,
  limitWindow: rule.limit_window,
  maxValue: rule.max_value,
  modelFilter: rule.model_filter ?? null,
  onExceeded: rule.on_exceeded,
});

/** The limits of a key, an owner or a team as the API takes them. */
export const LimitsInput = boundedArray(LimitInput, MAX_LIMITS);

export const limitRulesInput = (limits: z.output<typeof LimitsInput>): LimitRuleInput[] => limits.map(limitRuleInput);
