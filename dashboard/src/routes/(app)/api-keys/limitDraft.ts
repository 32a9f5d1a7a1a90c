import type { Limit, LimitType, LimitWindow, OnExceeded } from './limits.ts';

/** A limit in a form; the number is the typed text. */
export interface LimitDraft {
  readonly id: number;
  type: LimitType;
  window: LimitWindow;
  max: string;
  model: string;
  onExceeded: OnExceeded;
}

export interface LimitBody {
  limit_type: LimitType;
  limit_window: LimitWindow;
  max_value: number;
  model_filter: string | null;
  on_exceeded: OnExceeded;
}

/** Error messages by field; limits by `limit-<id>`, the model of a limit by `model-<id>`. */
export type Problems = Readonly<Record<string, string>>;

export const MAX_NAME_LENGTH = 128;
/** As the API accepts. */
export const MAX_LIMITS = 100;
export const MAX_MODEL_LENGTH = 128;

export const newLimit = (id: number): LimitDraft => ({
  id,
  type: 'total_tokens',
  window: 'daily',
  max: '',
  model: '',
  onExceeded: 'finish',
});

export const limitDraftsOf = (limits: readonly Limit[]): LimitDraft[] =>
  limits.map((limit) => ({
    id: limit.id,
    type: limit.limit_type,
    window: limit.limit_window,
    max: String(limit.max_value),
    model: limit.model_filter ?? '',
    onExceeded: limit.on_exceeded,
  }));

/** @param limits ones that `limitProblems` accepts */
export const limitBodies = (limits: readonly LimitDraft[]): LimitBody[] =>
  limits.map(({ type, window, max, model, onExceeded }) => ({
    limit_type: type,
    limit_window: window,
    max_value: parseNumber(max) ?? 0,
    model_filter: model.trim() || null,
    on_exceeded: onExceeded,
  }));

/** Parses "2,000,000", "2 000 000", "2m" and "1.5k". @returns undefined when the text is not a number */
export function parseNumber(text: string): number | undefined {
  const [, digits, unit] = /^([\d.]+)([kmb]?)$/i.exec(text.replaceAll(/[\s,_']/g, '')) ?? [];
  const value = Number(digits) * { '': 1, k: 1e3, m: 1e6, b: 1e9 }[(unit ?? '').toLowerCase() as '' | 'k' | 'm' | 'b'];
  return Number.isFinite(value) ? value : undefined;
}

/** The problem of a name of a key or a team. */
export function nameProblem(text: string): string | undefined {
  const name = text.trim();
  if (name === '') return 'Enter a name.';
  if (name.length <= MAX_NAME_LENGTH) return undefined;
  return `At most ${MAX_NAME_LENGTH} characters; this name has ${name.length}.`;
}

export function limitProblems(limits: readonly LimitDraft[]): Problems {
  const problems: Record<string, string> = {};
  for (const { id, max } of limits) {
    const value = parseNumber(max);
    if (value === undefined) problems[`limit-${id}`] = 'Enter a number such as 2,000,000 or 2m.';
    else if (!Number.isSafeInteger(value) || value < 1) problems[`limit-${id}`] = 'Enter a whole number of at least 1.';
  }
  if (limits.length > MAX_LIMITS)
    problems.limits = `At most ${MAX_LIMITS} limits; remove ${limits.length - MAX_LIMITS}.`;
  for (const { id, model } of limits)
    if (model.trim().length > MAX_MODEL_LENGTH) problems[`model-${id}`] = `At most ${MAX_MODEL_LENGTH} characters.`;
  const seen = new Set<string>();
  for (const limit of limits) {
    const kind = kindOf(limit);
    if (seen.has(kind)) problems[`limit-${limit.id}`] ??= 'This limit already exists.';
    seen.add(kind);
  }
  return problems;
}

/** Number of limits whose usage an edit resets, because type, window or model changed or the limit was removed. */
export function resetLimitCount(before: readonly LimitDraft[], after: readonly LimitDraft[]): number {
  const kinds = new Set(before.map(kindOf));
  return before.length - after.filter((limit) => kinds.has(kindOf(limit))).length;
}

const kindOf = ({ type, window, model }: LimitDraft) => [type, window, model.trim()].join(' ');
