import type { Key, LimitType, LimitWindow, OnExceeded } from './limits.ts';

/** A limit in the form; the number is the typed text. */
export interface LimitDraft {
  readonly id: number;
  type: LimitType;
  window: LimitWindow;
  max: string;
  model: string;
  onExceeded: OnExceeded;
}

/** A key in the form. */
export interface KeyDraft {
  name: string;
  models: string[];
  /** `never`, days from now such as `30`, `keep` for the current expiry, or `date`. */
  expiry: 'never' | '7' | '30' | '90' | '365' | 'date' | 'keep';
  /** Value of the date field: `2026-12-31`. */
  date: string;
  limits: LimitDraft[];
}

export const emptyDraft = (): KeyDraft => ({ name: '', models: [], expiry: 'never', date: '', limits: [] });

export const newLimit = (id: number): LimitDraft => ({
  id,
  type: 'total_tokens',
  window: 'daily',
  max: '',
  model: '',
  onExceeded: 'finish',
});

export const draftOf = (key: Key): KeyDraft => ({
  name: key.name,
  models: key.allowed_models ?? [],
  expiry: key.expires_at === null ? 'never' : 'keep',
  date: '',
  limits: key.limits.map((limit) => ({
    id: limit.id,
    type: limit.limit_type,
    window: limit.limit_window,
    max: String(limit.max_value),
    model: limit.model_filter ?? '',
    onExceeded: limit.on_exceeded,
  })),
});

export interface KeyBody {
  name: string;
  allowed_models: string[] | null;
  /** Omitted to keep the current expiry. */
  expires_at?: string | null;
  limits: {
    limit_type: LimitType;
    limit_window: LimitWindow;
    max_value: number;
    model_filter: string | null;
    on_exceeded: OnExceeded;
  }[];
}

/** Error messages by field; limits by `limit-<id>`, the model of a limit by `model-<id>`. */
export type Problems = Readonly<Record<string, string>>;

const MAX_NAME_LENGTH = 128;
/** As the API accepts. */
export const MAX_LIMITS = 100;
const MAX_MODELS = 100;
const MAX_MODEL_LENGTH = 128;
const DAY_MS = 86_400_000;

/** Parses "2,000,000", "2 000 000", "2m" and "1.5k". @returns undefined when the text is not a number */
export function parseNumber(text: string): number | undefined {
  const [, digits, unit] = /^([\d.]+)([kmb]?)$/i.exec(text.replaceAll(/[\s,_']/g, '')) ?? [];
  const value = Number(digits) * { '': 1, k: 1e3, m: 1e6, b: 1e9 }[(unit ?? '').toLowerCase() as '' | 'k' | 'm' | 'b'];
  return Number.isFinite(value) ? value : undefined;
}

export function validate(draft: KeyDraft, now: number): Problems {
  const problems: Record<string, string> = {};
  const name = draft.name.trim();
  if (name === '') problems.name = 'Enter a name.';
  else if (name.length > MAX_NAME_LENGTH)
    problems.name = `At most ${MAX_NAME_LENGTH} characters; this name has ${name.length}.`;
  if (draft.expiry === 'date') {
    const at = endOf(draft.date);
    if (at === undefined) problems.date = 'Choose a date.';
    else if (at <= now) problems.date = 'Choose a date in the future.';
  }
  for (const { id, max } of draft.limits) {
    const value = parseNumber(max);
    if (value === undefined) problems[`limit-${id}`] = 'Enter a number such as 2,000,000 or 2m.';
    else if (!Number.isSafeInteger(value) || value < 1) problems[`limit-${id}`] = 'Enter a whole number of at least 1.';
  }
  if (draft.limits.length > MAX_LIMITS)
    problems.limits = `At most ${MAX_LIMITS} limits; remove ${draft.limits.length - MAX_LIMITS}.`;
  for (const { id, model } of draft.limits)
    if (model.trim().length > MAX_MODEL_LENGTH) problems[`model-${id}`] = `At most ${MAX_MODEL_LENGTH} characters.`;
  if (draft.models.length > MAX_MODELS)
    problems.models = `At most ${MAX_MODELS} models; remove ${draft.models.length - MAX_MODELS}.`;
  else if (draft.models.some((model) => model.length > MAX_MODEL_LENGTH))
    problems.models = `At most ${MAX_MODEL_LENGTH} characters for each model.`;
  const seen = new Set<string>();
  for (const { id, type, window, model } of draft.limits) {
    const kind = [type, window, model.trim()].join(' ');
    if (seen.has(kind)) problems[`limit-${id}`] ??= 'This limit already exists.';
    seen.add(kind);
  }
  return problems;
}

/** @param draft one that `validate` accepts */
export function bodyOf(draft: KeyDraft, now: number): KeyBody {
  return {
    name: draft.name.trim(),
    allowed_models: draft.models.length > 0 ? draft.models : null,
    ...(draft.expiry !== 'keep' && { expires_at: expiryOf(draft, now) }),
    limits: draft.limits.map(({ type, window, max, model, onExceeded }) => ({
      limit_type: type,
      limit_window: window,
      max_value: parseNumber(max) ?? 0,
      model_filter: model.trim() || null,
      on_exceeded: onExceeded,
    })),
  };
}

function expiryOf({ expiry, date }: KeyDraft, now: number): string | null {
  if (expiry === 'never') return null;
  const at = expiry === 'date' ? endOf(date) : now + Number(expiry) * DAY_MS;
  return new Date(at ?? now).toISOString();
}

/** The end of a day in the viewer’s time zone: a key that expires on Friday still works on Friday. */
function endOf(date: string): number | undefined {
  const at = Date.parse(`${date}T23:59:59`);
  return Number.isNaN(at) ? undefined : at;
}

/** Number of limits whose usage an edit resets, because type, window or model changed or the limit was removed. */
export function resetLimitCount(before: KeyDraft, after: KeyDraft): number {
  const kinds = new Set(before.limits.map(({ type, window, model }) => [type, window, model.trim()].join(' ')));
  const kept = after.limits.filter(({ type, window, model }) => kinds.has([type, window, model.trim()].join(' ')));
  return before.limits.length - kept.length;
}
