import type { Schemas } from '#lib/api/client.ts';
import type { NameLookup } from '#lib/nameLookup.svelte.ts';
import { LIMIT_TYPES, LIMIT_WINDOWS } from '../api-keys/limits.ts';

type WhatIf = Schemas['WhatIfReport'];
type Side = 'recorded' | 'simulated';

const REASONS: Readonly<Record<string, string>> = {
  limit_reached: 'Limit reached',
  no_account_empty: 'No account',
  no_account_exhausted: 'All accounts used up',
  no_account_cooling: 'All accounts cooling down',
  no_account_tried: 'All accounts failed',
  model_not_allowed: 'Model not allowed',
  invalid_api_key: 'Invalid API key',
  client_disconnected: 'Client disconnected',
};

/** An outcome’s reason in words; codes of errors that have no label stay readable. */
export const reasonLabel = (reason: string): string =>
  REASONS[reason] ?? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}`;

const labelIn = (options: readonly { value: string; label: string }[], value: string): string =>
  options.find((option) => option.value === value)?.label ?? value;

/** The words of a limit: "Total tokens, daily, gpt-5". */
export const limitText = ({
  limit_type,
  limit_window,
  model_filter,
}: Pick<WhatIf['limits'][number], 'limit_type' | 'limit_window' | 'model_filter'>): string =>
  [labelIn(LIMIT_TYPES, limit_type), labelIn(LIMIT_WINDOWS, limit_window), model_filter]
    .filter((text) => text !== null)
    .join(', ');

/** Why requests were refused, with the rule that did. */
export function reasonText({ reason, rule }: Pick<WhatIf['refusals'][number], 'reason' | 'rule'>): string {
  const [, max, type = '', window = '', model] = /^(\d+) (\w+) (\w+)(?: on (.*))?$/.exec(rule ?? '') ?? [];
  if (max === undefined) return reasonLabel(reason);
  const words = limitText({ limit_type: type, limit_window: window, model_filter: model ?? null });
  return `${reasonLabel(reason)}: ${Number(max).toLocaleString('en')} ${words}`;
}

/** The name of an account; those that the simulation added have a number. */
export const labelOfAccount = (id: string, names: NameLookup): string =>
  /^plus-\d+$/.test(id) ? `Added account ${id.slice(5)}` : names.account(id);

const KINDS = [
  { name: 'failed', color: 'var(--bad-fill)' },
  { name: 'refused', color: 'var(--series-3)' },
  { name: 'served', color: 'var(--series-1)' },
] as const;

/** The series of a report for the charts, with every step of its time. */
export function chartsOf({ series, outcomes }: Pick<WhatIf, 'series' | 'outcomes'>) {
  const stepMs = series.bucket_seconds * 1_000;
  const byStart = new Map(series.points.map((point) => [Date.parse(point.at), point]));
  const starts = stepsOf([...byStart.keys()], stepMs);
  const outcomesOf = (side: Side) =>
    KINDS.map(({ name, color }) => ({
      name,
      color,
      sum: outcomes[name][side],
      values: starts.map((at) => byStart.get(at)?.[name][side] ?? 0),
    }));
  const costOf = (side: Side) => starts.map((at) => byStart.get(at)?.cost_usd[side] ?? 0);
  return {
    starts,
    stepMs,
    outcomes: { recorded: outcomesOf('recorded'), simulated: outcomesOf('simulated') },
    cost: { recorded: costOf('recorded'), simulated: costOf('simulated') },
  };
}

/** A chart with more bars than pixels shows nothing more. */
const MAX_STEPS = 2_000;

/** Every step from the first to the last; only those with requests when there are too many. */
function stepsOf(starts: readonly number[], stepMs: number): number[] {
  const [first, last] = [starts[0] ?? 0, starts.at(-1) ?? 0];
  const count = stepMs > 0 ? Math.round((last - first) / stepMs) + 1 : 0;
  if (starts.length === 0 || count > MAX_STEPS) return [...starts];
  return Array.from({ length: count }, (_, index) => first + index * stepMs);
}
