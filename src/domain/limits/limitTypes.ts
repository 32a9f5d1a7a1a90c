/** What one request used; the cost is zero when its model has no price. */
export interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroDollars: number;
}

interface LimitTypeDefinition {
  /** What a request adds to the counter of a rule. */
  readonly amountOf: (consumption: Consumption) => number;
  /** How many of these amounts are one unit of `maxValue`, in which operators set the limit. */
  readonly amountsPerUnit: number;
  /** The highest `maxValue` whose amount is an exact number. */
  readonly maxValue: number;
}

const plainNumber = { amountsPerUnit: 1, maxValue: Number.MAX_SAFE_INTEGER };

/** Every type of limit. Names are stored in events: they never change. */
export const limitTypes = {
  total_tokens: { ...plainNumber, amountOf: ({ inputTokens, outputTokens }) => inputTokens + outputTokens },
  input_tokens: { ...plainNumber, amountOf: ({ inputTokens }) => inputTokens },
  output_tokens: { ...plainNumber, amountOf: ({ outputTokens }) => outputTokens },
  /** In whole US dollars, counted in micro-dollars (docs/decisions/0025-limit-windows-and-units.md). */
  cost_usd: {
    amountOf: ({ costMicroDollars }) => costMicroDollars,
    amountsPerUnit: 1_000_000,
    maxValue: 9_000_000_000,
  },
} as const satisfies Record<string, LimitTypeDefinition>;

export type LimitType = keyof typeof limitTypes;

export const limitTypeNames = Object.keys(limitTypes) as [LimitType, ...LimitType[]];

/** What `consumption` adds to the counter of a rule of this type. */
export const amountOf = (limitType: LimitType, consumption: Consumption): number =>
  limitTypes[limitType].amountOf(consumption);

/** The ceiling of a rule, as an amount. */
export const ceilingOf = ({ limitType, maxValue }: { limitType: LimitType; maxValue: number }): number =>
  maxValue * limitTypes[limitType].amountsPerUnit;
