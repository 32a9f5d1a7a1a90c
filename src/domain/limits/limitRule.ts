import { type Infer, schema } from '../core/schema.ts';
import { instantSchema } from '../core/schemas.ts';
import { limitTypeNames } from './limitTypes.ts';
import { limitWindowNames } from './limitWindows.ts';

export const limitTypeSchema = schema((z) => z.enum(limitTypeNames));
export const limitWindowSchema = schema((z) => z.enum(limitWindowNames));

/** What happens to a stream that runs past a limit: it is finished, or stopped with `rate_limit_exceeded`. */
export const onExceededSchema = schema((z) => z.enum(['finish', 'stop']));
export type OnExceeded = Infer<typeof onExceededSchema>;

/** A limit of one key, owner or team. Its counter is kept as long as type, window and model filter stay the same. */
export const limitRuleSchema = schema((z) =>
  z.object({
    id: z.int().min(1),
    limitType: limitTypeSchema(z),
    limitWindow: limitWindowSchema(z),
    /** In the unit of the limit type. */
    maxValue: z.int().min(1),
    /** Null: every model. */
    modelFilter: z.string().nullable(),
    /** Rolling windows start here. */
    createdAt: instantSchema(z),
    onExceeded: onExceededSchema(z),
  }),
);
export type LimitRule = Infer<typeof limitRuleSchema>;

/** All rules of a key, an owner or a team. */
export const limitRulesSchema = schema((z) => z.array(limitRuleSchema(z)));

/** Rules in the sentence of an event. */
export const shownRules = (list: readonly LimitRule[]): string =>
  list.length === 0 ? 'no limits' : list.map(shownRule).join(', ');

const shownRule = ({ maxValue, limitType, limitWindow, modelFilter, onExceeded }: LimitRule) =>
  `${maxValue} ${limitType} ${limitWindow}${modelFilter ? ` on ${modelFilter}` : ''}${onExceeded === 'stop' ? ', stopping streams' : ''}`;

/** The rule of an event of version 1: every stream was finished. */
export const upcastRule = (rule: object): object => ({ ...rule, onExceeded: 'finish' });

/** Whether a rule counts requests for this model. */
export const appliesTo = (rule: LimitRule, model: string): boolean =>
  rule.modelFilter === null || rule.modelFilter === model;

/** Whether a rule ends streams with this model that run past it. */
export const stopsStreams = (rule: LimitRule, model: string): boolean =>
  rule.onExceeded === 'stop' && appliesTo(rule, model);
