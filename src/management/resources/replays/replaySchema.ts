import { z } from 'zod';

/** A figure of the recording and of the simulation. */
const pair = z.object({ recorded: z.number(), simulated: z.number() });
const optionalPair = z.object({ recorded: z.number().nullable(), simulated: z.number().nullable() });

const End = z
  .object({
    outcome: z.enum(['served', 'failed', 'refused']),
    account_id: z.string().nullable(),
    reason: z.string().nullable().describe('Why it was refused or failed'),
    rule_id: z.int().nullable().describe('The rule that refused it'),
    cost_usd: z.number().nullable(),
  })
  .meta({ id: 'ReplayedEnd' });

/** What would have happened, beside what did (docs/operation.md#what-if). */
const WhatIfReport = z
  .object({
    changes: z.object({
      routing_strategy: z.string().nullable(),
      prefer_earlier_reset_accounts: z.boolean().nullable(),
      sticky_threads_enabled: z.boolean().nullable(),
      limits: z.array(z.string()).describe('Ids of the keys with other limits; * stands for all others'),
      prices: z.string().nullable().describe('Version of the price table'),
      without_accounts: z.array(z.string()),
      plus_accounts: z.array(z.object({ account_id: z.string(), plan_type: z.string() })),
    }),
    requests: z.object({
      compared: z.int().describe('Requests that were decided again'),
      same: z.int().describe('Those with the same outcome, account and reason'),
      different: z.int(),
      not_simulated: z.int(),
    }),
    outcomes: z.object({ served: pair, failed: pair, refused: pair }),
    tokens: pair,
    cost_usd: pair,
    accounts: z.array(
      z.object({
        account_id: z.string(),
        plan_type: z.string(),
        change: z.enum(['none', 'removed', 'added']),
        requests: pair,
        tokens: pair,
        cost_usd: pair,
        primary_percent: optionalPair.describe('Highest percent used of the primary window'),
        secondary_percent: optionalPair,
      }),
    ),
    refusals: z.array(
      z.object({
        reason: z.string(),
        level: z.string().nullable(),
        subject: z.string().nullable(),
        rule_id: z.int().nullable(),
        rule: z.string().nullable().describe('The rule in words'),
        requests: pair,
      }),
    ),
    limits: z.array(
      z.object({
        level: z.string(),
        subject: z.string(),
        rule_id: z.int(),
        limit_type: z.string(),
        limit_window: z.string(),
        model_filter: z.string().nullable(),
        max_value: optionalPair,
        windows: pair.describe('Number of windows in which something was used'),
        most_used: pair.describe('In the fullest window, in the unit of max_value'),
      }),
    ),
    costs: z.array(
      z.object({
        api_key_id: z.string().nullable(),
        api_key_name: z.string().nullable(),
        model: z.string(),
        requests: pair,
        tokens: pair,
        cost_usd: pair,
      }),
    ),
    series: z.object({
      bucket_seconds: z.number(),
      points: z.array(z.object({ at: z.iso.datetime(), served: pair, failed: pair, refused: pair, cost_usd: pair })),
    }),
    different_requests: z
      .array(
        z.object({
          request_id: z.string(),
          position: z.int(),
          requested_at: z.iso.datetime(),
          recorded: End,
          simulated: End,
        }),
      )
      .describe('The first 200'),
    not_known: z
      .array(z.object({ code: z.string(), requests: z.int().nullable(), text: z.string() }))
      .describe('What the simulation cannot know, and what it assumes instead'),
  })
  .meta({ id: 'WhatIfReport' });

/** The report of a replay. */
export const ReplayReportEntry = z
  .object({
    requests: z.int().describe('Rows of the request log in the period'),
    choices: z.int(),
    admissions: z.int(),
    refusals: z.int().describe('Requests that svc itself refused'),
    counted_only: z.int().describe('Refusals of which the log has only the number'),
    imported: z.int().optional().describe('Requests imported from another program, about which svc decided nothing'),
    repeated: z.int().describe('Decisions that gave the recorded result'),
    archived: z.int().describe('Decisions that cannot be repeated, because their state is archived'),
    differences: z.array(
      z.object({
        request_id: z.string(),
        position: z.int(),
        decided_at: z.int(),
        decision: z.string(),
        recorded: z.string(),
        replayed: z.string(),
      }),
    ),
    more_differences: z.int().describe('Differences beyond the first 1,000'),
    what_if: WhatIfReport.nullable().describe('Null when nothing was to be changed'),
  })
  .meta({ id: 'ReplayReport' });
