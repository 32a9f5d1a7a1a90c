import type { Schemas } from '#lib/api/client.ts';
import { compact, counted, dollars, percent } from '#lib/format/numbers.ts';
import { outcomeLabel } from '#lib/format/outcomes.ts';

type Explanation = Schemas['Explanation'];
type Choice = Schemas['ExplainedChoice'];
type Candidate = Schemas['ExplainedCandidate'];
type Limit = Schemas['ExplainedLimit'];

const CHOSEN_BY: Readonly<Record<string, string>> = {
  pin: 'The conversation is pinned to this account.',
  only: 'No other account could be chosen.',
  usage_weighted: 'It was the least used account.',
  round_robin: 'It was its turn.',
  repeat: 'The same account again, with refreshed tokens.',
};

const NONE_BECAUSE: Readonly<Record<string, string>> = {
  empty: 'There was no account that could serve it, now or later.',
  no_region: 'No account was in a region in which the API key may be served.',
  exhausted: 'Every account had used up its limit.',
  cooling: 'The accounts were cooling down.',
  tried: 'Every available account had failed this request.',
};

/** Why an account was chosen, or why none was. */
export const choiceText = ({ by, reason }: Choice): string =>
  reason === null ? (CHOSEN_BY[by] ?? by) : (NONE_BECAUSE[reason] ?? reason);

const REASONS: Readonly<Record<string, string>> = {
  paused: 'Paused',
  deactivated: 'Deactivated',
  rate_limited: 'Rate limited',
  quota_exceeded: 'Quota used up',
  cooling: 'Cooling down',
  other_region: 'In another region',
  plan_lacks_model: 'Plan lacks the model',
  already_tried: 'Already tried',
};

/** "1st choice", or what kept the account out. */
export function candidateText({ eligible, place, reason }: Candidate, by: string): string {
  if (!eligible) return REASONS[reason ?? ''] ?? String(reason);
  if (by === 'pin') return 'Available';
  return place === 1 ? 'First choice' : `Choice ${place}`;
}

/** Why exactly an account was kept out, if more is known than its rule. */
export const detailText = ({ reason, detail }: Candidate): string =>
  detail === null ? '' : reason === 'cooling' ? outcomeLabel(detail) : detail;

/** "Request completed" for `RequestCompleted`. */
export const eventText = (type: string): string => type.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The figures by which an account was ranked. */
export function rankText(candidate: Candidate): string {
  const { used_percent_secondary: long, used_percent_primary: short, days_to_reset: days, tie_break: tie } = candidate;
  return [
    long === null ? undefined : `long window ${percent(long)}`,
    short === null ? undefined : `short window ${percent(short)}`,
    days === null ? undefined : `reset in ${counted(days, 'day')}`,
    tie === null ? undefined : 'equal figures, decided by a hash of the request',
  ]
    .filter((text) => text !== undefined)
    .join(', ');
}

/** Chosen and available accounts first, in the order of preference. */
export const inOrder = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.toSorted((a, b) => (a.place ?? Number.MAX_SAFE_INTEGER) - (b.place ?? Number.MAX_SAFE_INTEGER));

/** Where a limit stands. */
const LEVELS: Readonly<Record<string, string>> = { key: 'API key', owner: 'owner', team: 'team' };

/** Whose limit it is: "API key", "Owner Ada", "Team search". */
export function holderText({ level, subject }: Limit, { caller }: Explanation): string {
  if (level === 'owner') return `Owner ${subject}`;
  return level === 'team' ? `Team ${caller.team_name ?? subject}` : 'API key';
}

/** What admitted or refused the request. */
export function admissionText({ admission, caller }: Explanation): string {
  if (!admission)
    return caller.kind === 'anonymous'
      ? 'No API key was required.'
      : 'No limit applied: neither the API key nor its owner or team has one.';
  if (admission.verdict === 'admitted') return 'Admitted: every limit had room.';
  if (admission.rule === 'limit')
    return `Refused: a limit of the ${LEVELS[admission.limit_level ?? 'key']} was used up.`;
  if (admission.rule === 'allowed_models') {
    return `Refused: the API key may only use ${(caller.allowed_models ?? []).join(', ')}.`;
  }
  return 'Refused before any limit was checked.';
}

/** "1,200 used and 300 reserved of 4,000" */
export function limitUse({ limit_type: type, counted: used, reserved, ceiling }: Limit): string {
  const shown = type === 'cost_usd' ? dollars : compact;
  return `${shown(used)} used and ${shown(reserved)} reserved of ${shown(ceiling)}`;
}
