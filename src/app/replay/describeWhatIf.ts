import type { Pair, ReportedEnd, WhatIfReport } from '../../replay/whatIf/report.ts';
import { textTable } from './textTable.ts';

/** Rows of a table on the terminal; `--json` and `--csv` have all of them. */
const MAX_ROWS = 30;
const MAX_NAMED_REQUESTS = 10;

/** A what-if as lines for the terminal: the figures of the recording beside those of the simulation. */
export function describeWhatIf(report: WhatIfReport): string[] {
  const { requests, outcomes, tokens, cost_usd, accounts, refusals, limits, costs } = report;
  const { compared, same, different, not_simulated } = requests;
  return [
    `What if ${changesIn(report).join('; ') || 'nothing is changed'}:`,
    `${count(compared)} requests decided again: ${count(same)} end the same way, ${count(different)} another way.` +
      (not_simulated > 0 ? ` ${count(not_simulated)} could not be simulated.` : ''),
    '',
    ...table('', ['', 'recorded', 'simulated'], 1, [
      ...Object.entries(outcomes).map(([name, pair]) => [name, ...counts(pair)]),
      ['tokens', ...counts(tokens)],
      ['cost', ...dollars(cost_usd)],
    ]),
    ...table(
      'Accounts',
      [
        'account',
        'plan',
        'requests',
        'simulated',
        'cost',
        'simulated',
        'primary',
        'simulated',
        'secondary',
        'simulated',
      ],
      2,
      accounts.map((account) => [
        account.account_id + (account.change === 'none' ? '' : ` (${account.change})`),
        account.plan_type,
        ...counts(account.requests),
        ...dollars(account.cost_usd),
        ...percents(account.primary_percent),
        ...percents(account.secondary_percent),
      ]),
    ),
    ...table(
      'Refusals',
      ['reason', 'whose', 'rule', 'recorded', 'simulated'],
      3,
      refusals.map(({ reason, subject, rule, rule_id, requests }) => [
        reason,
        subject ?? '',
        rule ?? (rule_id === null ? '' : `rule ${rule_id}`),
        ...counts(requests),
      ]),
    ),
    ...table(
      'Limits: what was used in the fullest window',
      ['whose', 'limit', 'maximum', 'simulated', 'windows', 'simulated', 'used', 'simulated'],
      2,
      limits.map(({ subject, limit_type, limit_window, model_filter, max_value, windows, most_used }) => [
        subject,
        `${limit_type} ${limit_window}${model_filter === null ? '' : ` on ${model_filter}`}`,
        ...maybe(max_value),
        ...counts(windows),
        ...maybe(most_used),
      ]),
    ),
    ...table(
      'Cost by key and model',
      ['key', 'model', 'requests', 'simulated', 'tokens', 'simulated', 'cost', 'simulated'],
      2,
      costs.map((cost) => [
        cost.api_key_name ?? cost.api_key_id ?? '(no key)',
        cost.model,
        ...counts(cost.requests),
        ...counts(cost.tokens),
        ...dollars(cost.cost_usd),
      ]),
    ),
    ...namedRequests(report),
    'What the simulation cannot know:',
    ...report.not_known.map(
      ({ requests, text }) => `- ${requests === null ? '' : `${count(requests)} requests: `}${text}`,
    ),
  ];
}

function changesIn({ changes }: WhatIfReport): string[] {
  const { routing_strategy, prefer_earlier_reset_accounts, sticky_threads_enabled, limits, prices } = changes;
  return [
    routing_strategy !== null && `the strategy is ${routing_strategy}`,
    prefer_earlier_reset_accounts !== null &&
      `accounts with an earlier reset are ${prefer_earlier_reset_accounts ? '' : 'not '}preferred`,
    sticky_threads_enabled !== null && `sticky threads are ${sticky_threads_enabled ? 'on' : 'off'}`,
    limits.length > 0 && `other limits for ${limits.map((id) => (id === '*' ? 'every other key' : id)).join(', ')}`,
    prices !== null && `prices ${prices}`,
    ...changes.without_accounts.map((id) => `without account ${id}`),
    ...changes.plus_accounts.map(({ account_id, plan_type }) => `plus account ${account_id} (${plan_type})`),
  ].filter((text) => text !== false);
}

function namedRequests({ requests, different_requests: named }: WhatIfReport): string[] {
  if (named.length === 0) return [];
  return [
    `The first ${Math.min(MAX_NAMED_REQUESTS, named.length)} of ${count(requests.different)} requests that end another way:`,
    ...named
      .slice(0, MAX_NAMED_REQUESTS)
      .map(
        ({ request_id, recorded, simulated }) =>
          `- ${request_id}: ${describeEnd(recorded)}; simulated ${describeEnd(simulated)}`,
      ),
    '',
  ];
}

const describeEnd = ({ outcome, account_id, reason, rule_id }: ReportedEnd): string =>
  `${outcome}${account_id === null ? '' : ` on ${account_id}`}${reason === null ? '' : ` (${reason}${rule_id === null ? '' : `, rule ${rule_id}`})`}`;

function table(title: string, header: readonly string[], texts: number, rows: readonly string[][]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length - MAX_ROWS;
  return [
    ...(title === '' ? [] : [title]),
    ...textTable(header, rows.slice(0, MAX_ROWS), texts),
    ...(more > 0 ? [`and ${count(more)} more: --json or --csv have all`] : []),
    '',
  ];
}

const count = (number: number): string => number.toLocaleString('en-US', { maximumFractionDigits: 6 });
const both = <Value>(format: (value: Value) => string, { recorded, simulated }: Pair<Value>): [string, string] => [
  format(recorded),
  format(simulated),
];
const counts = (pair: Pair): [string, string] => both(count, pair);
const dollars = (pair: Pair): [string, string] => both((amount) => `$${amount.toFixed(4)}`, pair);
const maybe = (pair: Pair<number | null>): [string, string] =>
  both((value) => (value === null ? '-' : count(value)), pair);
const percents = (pair: Pair<number | null>): [string, string] =>
  both((value) => (value === null ? '-' : `${value} %`), pair);
