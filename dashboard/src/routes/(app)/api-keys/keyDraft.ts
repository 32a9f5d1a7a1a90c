import {
  type LimitBody,
  type LimitDraft,
  limitBodies,
  limitDraftsOf,
  limitProblems,
  MAX_MODEL_LENGTH,
  MAX_NAME_LENGTH,
  nameProblem,
  type Problems,
} from './limitDraft.ts';
import type { Key } from './limits.ts';

/** A key in the form. */
export interface KeyDraft {
  name: string;
  models: string[];
  /** Empty for every region. */
  regions: string[];
  /** `never`, days from now such as `30`, `keep` for the current expiry, or `date`. */
  expiry: 'never' | '7' | '30' | '90' | '365' | 'date' | 'keep';
  /** Value of the date field: `2026-12-31`. */
  date: string;
  /** Empty for none. */
  owner: string;
  /** The id of a team, or `none`. */
  team: string;
  limits: LimitDraft[];
}

export const NO_TEAM = 'none';

export const emptyDraft = (): KeyDraft => ({
  name: '',
  models: [],
  regions: [],
  expiry: 'never',
  date: '',
  owner: '',
  team: NO_TEAM,
  limits: [],
});

export const draftOf = (key: Key): KeyDraft => ({
  name: key.name,
  models: key.allowed_models ?? [],
  regions: key.regions ?? [],
  expiry: key.expires_at === null ? 'never' : 'keep',
  date: '',
  owner: key.owner ?? '',
  team: key.team ?? NO_TEAM,
  limits: limitDraftsOf(key.limits),
});

export interface KeyBody {
  name: string;
  allowed_models: string[] | null;
  regions: string[] | null;
  /** Omitted to keep the current expiry. */
  expires_at?: string | null;
  /** Omitted to keep the current one, as the team: that one may have been deleted since. */
  owner?: string | null;
  team?: string | null;
  limits: LimitBody[];
}

const MAX_MODELS = 100;
const MAX_REGIONS = 20;
/** As the server checks it. */
const REGION = /^[A-Za-z0-9._-]{1,64}$/;
const DAY_MS = 86_400_000;

export function validate(draft: KeyDraft, now: number): Problems {
  const problems: Record<string, string> = { ...limitProblems(draft.limits) };
  const name = nameProblem(draft.name);
  if (name) problems.name = name;
  if (draft.owner.trim().length > MAX_NAME_LENGTH) problems.owner = `At most ${MAX_NAME_LENGTH} characters.`;
  if (draft.expiry === 'date') {
    const at = endOf(draft.date);
    if (at === undefined) problems.date = 'Choose a date.';
    else if (at <= now) problems.date = 'Choose a date in the future.';
  }
  if (draft.models.length > MAX_MODELS)
    problems.models = `At most ${MAX_MODELS} models; remove ${draft.models.length - MAX_MODELS}.`;
  else if (draft.models.some((model) => model.length > MAX_MODEL_LENGTH))
    problems.models = `At most ${MAX_MODEL_LENGTH} characters for each model.`;
  if (draft.regions.length > MAX_REGIONS) problems.regions = `At most ${MAX_REGIONS} regions.`;
  else if (!draft.regions.every((region) => REGION.test(region)))
    problems.regions = 'Names such as eu or us: letters, digits, dots, - and _.';
  return problems;
}

/** @param draft one that `validate` accepts @param before of the key that is edited */
export function bodyOf(draft: KeyDraft, now: number, before: KeyDraft = emptyDraft()): KeyBody {
  const owner = draft.owner.trim();
  return {
    name: draft.name.trim(),
    allowed_models: draft.models.length > 0 ? draft.models : null,
    regions: draft.regions.length > 0 ? draft.regions : null,
    ...(draft.expiry !== 'keep' && { expires_at: expiryOf(draft, now) }),
    ...(owner !== before.owner && { owner: owner || null }),
    ...(draft.team !== before.team && { team: draft.team === NO_TEAM ? null : draft.team }),
    limits: limitBodies(draft.limits),
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
