import { z } from 'zod';
import type { Explanation } from '../../../replay/explain/explanation.ts';

const time = z.iso.datetime();
const position = z.int().describe('Position in the history');

const Candidate = z
  .object({
    account_id: z.string(),
    eligible: z.boolean(),
    reason: z
      .string()
      .nullable()
      .describe(
        'What kept it out: paused, deactivated, rate_limited, quota_exceeded, cooling, other_region, plan_lacks_model, already_tried',
      ),
    detail: z.string().nullable(),
    since: time.nullable(),
    until: time.nullable(),
    by_request_id: z.string().nullable().describe('The request that made it cool down'),
    since_position: position.nullable(),
    plan: z.string(),
    place: z.int().nullable().describe('The order of preference among the eligible ones, from 1'),
    used_percent_secondary: z.number().nullable(),
    used_percent_primary: z.number().nullable(),
    days_to_reset: z.int().nullable(),
    tie_break: z.int().nullable().describe('The number that decided between equal figures, the lowest first'),
  })
  .meta({ id: 'ExplainedCandidate' });

const Choice = z
  .object({
    by: z.string().describe('pin, only, usage_weighted, round_robin, repeat, or none'),
    reason: z.string().nullable().describe('Why none was found: empty, no_region, exhausted, cooling or tried'),
    decided_at: position,
    as_of: time,
    rule_version: z.int(),
    turn: z.int().nullable(),
    candidates: z.array(Candidate),
  })
  .meta({ id: 'ExplainedChoice' });

const level = z.string().describe('Where the limit stands: key, owner or team');

const Limit = z
  .object({
    id: z.int().describe('Unique within its level'),
    level,
    subject: z.string().describe('The id of the key, the owner, or the id of the team'),
    limit_type: z.string(),
    limit_window: z.string(),
    model_filter: z.string().nullable(),
    applies: z.boolean(),
    counted: z.number(),
    reserved: z.number().describe('By open requests'),
    estimate: z.number().describe('What this request reserved'),
    ceiling: z.number(),
    resets_at: time,
  })
  .meta({ id: 'ExplainedLimit' });

/** Why a request went where it went, or why it was refused. */
export const ExplanationEntry = z
  .object({
    request_id: z.string(),
    outcome: z.enum(['served', 'failed', 'refused']),
    status: z.string(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    account_id: z.string().nullable(),
    requested_at: time,
    route: z.string(),
    model: z.string(),
    reasoning_effort: z.string().nullable(),
    latency_ms: z.int(),
    first_byte_ms: z.int().nullable(),
    caller: z.object({
      kind: z.enum(['api_key', 'anonymous']),
      key_id: z.string().nullable(),
      key_name: z.string().nullable().describe('Its name then'),
      allowed_models: z.array(z.string()).readonly().nullable(),
      regions: z
        .array(z.string())
        .readonly()
        .nullable()
        .describe('Where its requests were served; null: in every region'),
      expires_at: time.nullable(),
      owner: z.string().nullable().describe('Whose the key was when the request was admitted'),
      team: z.string().nullable().describe('The id of its team then'),
      team_name: z.string().nullable(),
    }),
    pin: z
      .object({
        conversation: z.string().describe('A digest'),
        source: z.string().nullable().describe('The header or field that named the conversation'),
        account_id: z.string().nullable(),
        is_fallback: z.boolean(),
      })
      .nullable(),
    admission: z
      .object({
        verdict: z.enum(['admitted', 'refused']),
        rule: z.string().nullable(),
        limit_id: z.int().nullable(),
        limit_level: level.nullable(),
        decided_at: position,
        as_of: time.nullable(),
        rule_version: z.int().nullable(),
        estimate: z.object({ input_tokens: z.int(), output_tokens: z.int(), cost_usd: z.number() }).nullable(),
        estimate_source: z.string().nullable(),
        nodes: z.int(),
        limits: z.array(Limit).readonly(),
      })
      .nullable(),
    candidates: z.array(Candidate).readonly(),
    no_account: Choice.nullable(),
    attempts: z
      .array(
        z.object({
          number: z.int(),
          account_id: z.string(),
          outcome: z.string(),
          provider_status: z.int().nullable(),
          code: z.string().nullable(),
          errno: z.string().nullable(),
          proxy: z.string().nullable(),
          region: z.string().nullable().describe('Where the provider had to process it'),
          started_at: time,
          ended_at: time,
          duration_ms: z.int(),
          waited_ms: z.int(),
          limited_until: time.nullable(),
          choice: Choice,
        }),
      )
      .readonly(),
    cost: z
      .object({
        total_usd: z.number(),
        price_version: z.string().nullable(),
        service_tier: z.string().nullable(),
        is_estimated: z.boolean(),
        terms: z
          .array(
            z.object({
              tokens: z.string(),
              count: z.int(),
              usd_per_million: z.number(),
              factor: z.number(),
              usd: z.number(),
            }),
          )
          .readonly(),
      })
      .nullable(),
    events: z.array(z.object({ position, type: z.string(), time, stream: z.string() })).readonly(),
  })
  .meta({ id: 'Explanation' }) satisfies z.ZodType<Explanation>;
