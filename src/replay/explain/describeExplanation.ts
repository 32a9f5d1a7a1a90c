import type {
  ExplainedAdmission,
  ExplainedAttempt,
  ExplainedCandidate,
  ExplainedChoice,
  ExplainedLimit,
  Explanation,
} from './explanation.ts';

/** An explanation as one page of plain words, a line each. */
export function describeExplanation(explanation: Explanation): string[] {
  const { attempts, no_account: noAccount, admission, cost, events } = explanation;
  return [
    ...heading(explanation),
    '',
    ...caller(explanation),
    ...describeAdmission(admission),
    ...pin(explanation),
    ...attempts.flatMap((attempt) => ['', ...describeAttempt(attempt)]),
    ...(noAccount
      ? ['', `No account was found at position ${noAccount.decided_at}: ${noAccount.reason}.`, ...candidates(noAccount)]
      : []),
    ...(cost ? ['', ...describeCost(cost)] : []),
    '',
    'Events:',
    ...events.map(({ position, time, type }) => `  ${position}  ${time}  ${type}`),
  ];
}

function heading(explanation: Explanation): string[] {
  const { request_id: id, route, model, reasoning_effort: effort, requested_at: at, latency_ms: latency } = explanation;
  const { outcome, status, error_code: code, error_message: message, account_id: account } = explanation;
  const effortText = effort === null ? '' : `, effort ${effort}`;
  const by = account === null ? '' : ` by account ${account}`;
  const error = code === null ? '' : ` (${code})`;
  return [
    `Request ${id}: ${outcome}${by} with status ${status}${error}`,
    `  ${route} for ${model}${effortText}, made at ${at}, ended after ${latency} ms`,
    ...(message === null ? [] : [`  ${message}`]),
  ];
}

function caller({
  caller: { kind, key_id: id, key_name: name, owner, team, team_name: teamName },
}: Explanation): string[] {
  if (kind === 'anonymous') return ['Caller: anonymous, no API key'];
  const ofOwner = owner === null ? '' : `, owner "${owner}"`;
  const ofTeam = team === null ? '' : `, team ${teamName === null ? team : `"${teamName}"`}`;
  return [`Caller: API key ${id}${name === null ? ', which did not exist' : ` "${name}"`}${ofOwner}${ofTeam}`];
}

function describeAdmission(admission: ExplainedAdmission | null): string[] {
  if (!admission) return ['Admission: no limit applied'];
  const {
    verdict,
    rule,
    limit_id: limitId,
    limit_level: level,
    decided_at: at,
    limits,
    estimate,
    estimate_source: source,
  } = admission;
  const why = rule === 'limit' ? ` by limit ${limitId} of the ${level}` : rule === null ? '' : ` by ${rule}`;
  const from = source === null ? '' : `, by ${source}`;
  const expected = estimate
    ? [
        `  expected ${estimate.input_tokens} input and ${estimate.output_tokens} output tokens, $${estimate.cost_usd}${from}`,
      ]
    : [];
  return [`Admission: ${verdict}${why} at position ${at}`, ...expected, ...limits.map(describeLimit)];
}

function describeLimit({ id, level, limit_type: type, limit_window: window, ...limit }: ExplainedLimit): string {
  const model = limit.model_filter === null ? '' : ` for ${limit.model_filter}`;
  const applies = limit.applies ? '' : ' (does not apply to the model)';
  return (
    `  limit ${id} of the ${level}, ${window} ${type}${model}: ${limit.counted} counted and ${limit.reserved} reserved of ${limit.ceiling}, ` +
    `resets ${limit.resets_at}${applies}`
  );
}

function pin({ pin: found }: Explanation): string[] {
  if (!found) return ['Conversation: not pinned to an account'];
  const source = found.source === null ? '' : `, named by ${found.source}`;
  const account = found.account_id === null ? 'no account yet' : `account ${found.account_id}`;
  const fallback = found.is_fallback ? '; another account served as a fallback' : '';
  return [`Conversation: pinned to ${account}${source}${fallback}`];
}

function describeAttempt(attempt: ExplainedAttempt): string[] {
  const { number, account_id: account, outcome, provider_status: status, code, errno, choice } = attempt;
  const facts = [
    status === null ? '' : `provider status ${status}`,
    code ?? '',
    errno ?? '',
    attempt.region === null ? '' : `in region ${attempt.region}`,
    attempt.proxy === null ? '' : `through proxy ${attempt.proxy}`,
    attempt.waited_ms === 0 ? '' : `after waiting ${attempt.waited_ms} ms`,
    `${attempt.duration_ms} ms`,
  ].filter((fact) => fact !== '');
  return [
    `Attempt ${number} on account ${account}: ${outcome} (${facts.join(', ')})`,
    `  chosen ${describeReason(choice)} at position ${choice.decided_at}`,
    ...(choice.by === 'repeat' ? [] : candidates(choice)),
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  pin: 'because the conversation is pinned to it',
  only: 'because no other account could be chosen',
  usage_weighted: 'as the least used account',
  round_robin: 'because it was its turn',
  repeat: 'again, with refreshed tokens',
};

const describeReason = ({ by, turn }: ExplainedChoice): string =>
  `${REASONS[by] ?? by}${turn === null ? '' : ` (turn ${turn})`}`;

const candidates = (choice: ExplainedChoice): string[] =>
  choice.candidates
    .toSorted((a, b) => (a.place ?? Number.MAX_SAFE_INTEGER) - (b.place ?? Number.MAX_SAFE_INTEGER))
    .map((candidate) => `    ${describeCandidate(candidate)}`);

function describeCandidate(candidate: ExplainedCandidate): string {
  const { account_id: account, eligible, place, since, until, by_request_id: by, tie_break: tie } = candidate;
  if (eligible) {
    const used = [
      share('long window', candidate.used_percent_secondary),
      share('short window', candidate.used_percent_primary),
      candidate.days_to_reset === null ? '' : `${candidate.days_to_reset} days to its reset`,
      tie === null ? '' : `tie-break ${tie}`,
    ].filter((text) => text !== '');
    return `${place}. ${account}${used.length === 0 ? '' : `: ${used.join(', ')}`}`;
  }
  const facts = [
    candidate.reason?.replaceAll('_', ' ') ?? '',
    candidate.detail === null ? '' : `(${candidate.detail})`,
    since === null ? '' : `since ${since}`,
    until === null ? '' : `until ${until}`,
    by === null ? '' : `by request ${by}`,
  ].filter((fact) => fact !== '');
  return `-  ${account}: ${facts.join(' ')}`;
}

const share = (window: string, percent: number | null): string =>
  percent === null ? '' : `${percent} % of its ${window}`;

function describeCost(cost: NonNullable<Explanation['cost']>): string[] {
  const { total_usd: total, price_version: version, service_tier: tier, is_estimated: isEstimated, terms } = cost;
  const facts = [
    `prices ${version}`,
    tier === null ? '' : `tier ${tier}`,
    isEstimated ? 'usage estimated by svc' : '',
  ].filter((fact) => fact !== '');
  return [
    `Cost: $${total} (${facts.join(', ')})`,
    ...terms.map(({ tokens, count, usd_per_million: price, factor, usd }) => {
      const times = factor === 1 ? '' : ` x ${factor}`;
      return `  ${count} ${tokens.replaceAll('_', ' ')} tokens x $${price} per million${times} = $${usd}`;
    }),
  ];
}
