const TYPES = ['total_tokens', 'input_tokens', 'output_tokens', 'cost_usd'] as const;

/** A limit of each type, too high to be reached. */
const everyType = (limit_window: 'daily' | 'weekly' | 'monthly', model_filter: string | null = null) =>
  TYPES.map((limit_type) => ({
    limit_type,
    limit_window,
    max_value: limit_type === 'cost_usd' ? 1_000_000 : 1_000_000_000_000,
    model_filter,
  }));

/** Bodies for `POST /api/api-keys`: limits of every type, window and filter, a key without limits, and one soon used up. */
export const keysWithRules = [
  { name: 'daily', limits: everyType('daily') },
  { name: 'weekly', limits: everyType('weekly') },
  { name: 'monthly', limits: [...everyType('monthly'), ...everyType('monthly', 'gpt-5.5')] },
  { name: 'mixed', limits: [...everyType('daily', 'gpt-5.1'), ...everyType('weekly'), ...everyType('monthly')] },
  { name: 'free', limits: [] },
  {
    name: 'soon used up',
    limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 100_000, model_filter: null }],
  },
];
