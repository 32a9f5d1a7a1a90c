import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema, type Zod } from '../core/schema.ts';
import { accountIdSchema, apiKeyIdSchema, instantSchema, microDollarsSchema, positionSchema } from '../core/schemas.ts';

/** Token counts of one request. `isEstimated`: not reported by the provider (docs/decisions/0026-usage-estimates.md). */
export const tokenUsageSchema = schema((z) =>
  z.object({
    inputTokens: z.int().min(0),
    cachedInputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    reasoningTokens: z.int().min(0),
    isEstimated: z.boolean(),
  }),
);
export type TokenUsage = Infer<typeof tokenUsageSchema>;

/** Where a decision was taken: the fold at `decidedAt`, seen at `asOf`, by version `v` of the rule. */
const decision = (z: Zod) => ({ decidedAt: positionSchema(z), asOf: instantSchema(z), v: z.int().min(1) });

/** What the node knew beyond the log when it chose an account; absent when nothing of it mattered. */
const overlay = schema((z) =>
  z.object({
    /** Accounts that were cooling down, and until when. */
    cooling: z.array(z.tuple([accountIdSchema(z), instantSchema(z)])).optional(),
    /** Where the round robin of this node stood. */
    turn: z.int().min(0).optional(),
    /** The conversation's account by a request that this node had completed, but the log did not have yet. */
    pinnedTo: accountIdSchema(z).optional(),
  }),
);

export const attemptSchema = schema((z) =>
  z.object({
    ...decision(z),
    overlay: overlay(z).optional(),
    accountId: accountIdSchema(z),
    startedAt: instantSchema(z),
    endedAt: instantSchema(z),
    /** `ok`, or a class of `src/proxy/exchange/classify.ts`. */
    outcome: z.string(),
    /** The provider's own code, when it gave one. */
    code: z.string().optional(),
    /** The provider refuses this account until then. */
    limitedUntil: instantSchema(z).optional(),
    /** Not chosen anew: the same account once more, after its tokens were refreshed. */
    isRepeat: z.literal(true).optional(),
  }),
);
export type Attempt = Infer<typeof attemptSchema>;

/** A choice that found no account: replay must find none either. */
const emptyChoice = schema((z) => z.object({ ...decision(z), overlay: overlay(z).optional(), reason: z.string() }));

/** Limits as they were checked: the estimate, and what open requests had reserved on each applicable rule. */
export const admissionSchema = schema((z) =>
  z.object({
    ...decision(z),
    estimate: z.object({ inputTokens: z.int(), outputTokens: z.int(), costMicroDollars: z.int() }),
    reserved: z.array(z.tuple([z.int(), z.int()])),
  }),
);
export type Admission = Infer<typeof admissionSchema>;

const requested = (z: Zod) => ({
  requestId: z.string().min(1),
  keyId: apiKeyIdSchema(z).nullable(),
  /** Path of the surface, e.g. `/v1/responses`. */
  route: z.string(),
  model: z.string(),
  effort: z.string().nullable(),
  requestedAt: instantSchema(z),
  /** Absent while keys are not required: then there is no limit to check. */
  admission: admissionSchema(z).optional(),
});

/** Appended for requests that stay open, so that other nodes and the next start know of them. */
export const RequestAdmitted = event('RequestAdmitted', {
  version: 1,
  data: (z) =>
    z.object({
      ...requested(z),
      accountId: accountIdSchema(z).nullable(),
      /** `service_tier` that was asked for; absent when it was the usual one. */
      serviceTier: z.string().optional(),
    }),
  describe: ({ requestId, model }) => `request ${requestId} for ${model} was admitted`,
});

/** Data of `RequestCompleted` in version 1: never changed, except for new optional fields. */
export const completedRequestV1 = schema((z) =>
  z.object({
    ...requested(z),
    /** HTTP status as text, or `error` when the answer broke or failed after its head had been sent. */
    status: z.string(),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    accountId: accountIdSchema(z).nullable(),
    latencyMs: z.int().min(0),
    firstByteMs: z.int().min(0).nullable(),
    usage: tokenUsageSchema(z).nullable(),
    costMicroDollars: microDollarsSchema(z).nullable(),
    priceVersion: z.string().nullable(),
    /** `service_tier` by which it was priced; absent when it was the usual one. */
    serviceTier: z.string().optional(),
    /** HMAC of the conversation's key; only a 200 that is no `isFallback` pins it to its account. */
    pin: z.object({ digest: z.string(), isFallback: z.boolean() }).optional(),
    attempts: z.array(attemptSchema(z)),
    /** Set when the last choice found no account. */
    refusal: emptyChoice(z).optional(),
  }),
);

/**
 * The data of every stored version of `RequestCompleted`. Each reader of stored requests has an entry for each of them, or does
 * not compile.
 */
export const completedRequestVersions = { 1: completedRequestV1 } as const;

export const RequestCompleted = event('RequestCompleted', {
  version: 1,
  data: completedRequestV1,
  describe: ({ requestId, model, status, accountId, errorCode }) =>
    `request ${requestId} for ${model} ended with ${status}${errorCode ? ` (${errorCode})` : ''}${accountId ? ` on account ${accountId}` : ''}`,
});
export type CompletedRequest = EventOf<typeof RequestCompleted>['data'];

/** Refused before any account was asked. */
export const RequestRefused = event('RequestRefused', {
  version: 1,
  data: (z) =>
    z.object({
      ...requested(z),
      status: z.string(),
      errorCode: z.string(),
      errorMessage: z.string(),
      latencyMs: z.int().min(0),
      /** The limit that refused: its rule, what was counted and what was reserved on it. */
      limit: z.object({ ruleId: z.int(), counted: z.int(), reserved: z.int(), ceiling: z.int() }).optional(),
      refusal: emptyChoice(z).optional(),
    }),
  describe: ({ requestId, errorCode, errorMessage }) =>
    `request ${requestId} was refused (${errorCode}): ${errorMessage}`,
});
export type RefusedRequest = EventOf<typeof RequestRefused>['data'];

/**
 * Refusals as one number per code and minute: those beyond the sixtieth of one key, and those of strangers (no key, or
 * not on the allowlist) by address.
 */
export const RefusalsCounted = event('RefusalsCounted', {
  version: 1,
  data: (z) =>
    z.object({
      keyId: apiKeyIdSchema(z).nullable(),
      address: z.string().nullable(),
      minute: instantSchema(z),
      counts: z.record(z.string(), z.int().min(1)),
    }),
  describe: ({ counts }) =>
    `${Object.values(counts).reduce((sum, count) => sum + count, 0)} more requests were refused within one minute`,
});

export type RequestEvent =
  | EventOf<typeof RequestAdmitted>
  | EventOf<typeof RequestCompleted>
  | EventOf<typeof RequestRefused>
  | EventOf<typeof RefusalsCounted>;
