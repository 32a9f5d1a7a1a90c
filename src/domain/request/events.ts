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

/** The basis of a decision: the position of the fold (`decidedAt`), the time (`asOf`) and the version of the rule (`v`). */
const decision = (z: Zod) => ({ decidedAt: positionSchema(z), asOf: instantSchema(z), v: z.int().min(1) });

/** What the node knew beyond the log when it chose an account; absent if it did not affect the choice. */
const overlay = schema((z) =>
  z.object({
    /** Accounts in a cool-down, and its end. */
    cooling: z.array(z.tuple([accountIdSchema(z), instantSchema(z)])).optional(),
    /** The round-robin counter of this node. */
    turn: z.int().min(0).optional(),
    /** The conversation's account by a completed request that was not in the log yet. */
    pinnedTo: accountIdSchema(z).optional(),
  }),
);

/** One attempt with one account, and the decision that chose it. */
export const attemptSchema = schema((z) =>
  z.object({
    ...decision(z),
    overlay: overlay(z).optional(),
    accountId: accountIdSchema(z),
    startedAt: instantSchema(z),
    endedAt: instantSchema(z),
    /** `ok`, or a class of `src/proxy/exchange/classify.ts`. */
    outcome: z.string(),
    /** The provider's error code, if any. */
    code: z.string().optional(),
    /** The provider refuses this account until then. */
    limitedUntil: instantSchema(z).optional(),
    /** The same account again after its tokens were refreshed, without a new choice. */
    isRepeat: z.literal(true).optional(),
  }),
);
export type Attempt = Infer<typeof attemptSchema>;

/** A choice without an available account; replay must reach the same result. */
const emptyChoice = schema((z) => z.object({ ...decision(z), overlay: overlay(z).optional(), reason: z.string() }));

/** Input of the limit check: the estimate, and the amount that open requests had reserved on each applicable rule. */
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

/** Recorded for requests that stay open, so that other nodes and the next process know of them. */
export const RequestAdmitted = event('RequestAdmitted', {
  version: 1,
  data: (z) =>
    z.object({
      ...requested(z),
      accountId: accountIdSchema(z).nullable(),
      /** The requested `service_tier`; absent for the default tier. */
      serviceTier: z.string().optional(),
    }),
  describe: ({ requestId, model }) => `request ${requestId} for ${model} was admitted`,
});

/** Data of `RequestCompleted` in version 1: never changed, except for new optional fields. */
export const completedRequestV1 = schema((z) =>
  z.object({
    ...requested(z),
    /** HTTP status as text, or `error` when the response failed after its head was sent. */
    status: z.string(),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    accountId: accountIdSchema(z).nullable(),
    latencyMs: z.int().min(0),
    firstByteMs: z.int().min(0).nullable(),
    usage: tokenUsageSchema(z).nullable(),
    costMicroDollars: microDollarsSchema(z).nullable(),
    priceVersion: z.string().nullable(),
    /** The `service_tier` that it was priced with; absent for the default tier. */
    serviceTier: z.string().optional(),
    /** HMAC of the conversation's key; only a 200 that is not `isFallback` pins the conversation to the account. */
    pin: z.object({ digest: z.string(), isFallback: z.boolean() }).optional(),
    attempts: z.array(attemptSchema(z)),
    /** Set when the last choice found no account. */
    refusal: emptyChoice(z).optional(),
  }),
);

/**
 * The data of every stored version of `RequestCompleted`. Each reader of stored requests must have an entry for each of them,
 * otherwise it does not compile.
 */
export const completedRequestVersions = { 1: completedRequestV1 } as const;

export const RequestCompleted = event('RequestCompleted', {
  version: 1,
  data: completedRequestV1,
  describe: ({ requestId, model, status, accountId, errorCode }) =>
    `request ${requestId} for ${model} ended with ${status}${errorCode ? ` (${errorCode})` : ''}${accountId ? ` on account ${accountId}` : ''}`,
});
export type CompletedRequest = EventOf<typeof RequestCompleted>['data'];

/** Refused before any account was tried. */
export const RequestRefused = event('RequestRefused', {
  version: 1,
  data: (z) =>
    z.object({
      ...requested(z),
      status: z.string(),
      errorCode: z.string(),
      errorMessage: z.string(),
      latencyMs: z.int().min(0),
      /** The limit that was reached: its rule, and the counted and the reserved amount. */
      limit: z.object({ ruleId: z.int(), counted: z.int(), reserved: z.int(), ceiling: z.int() }).optional(),
      refusal: emptyChoice(z).optional(),
    }),
  describe: ({ requestId, errorCode, errorMessage }) =>
    `request ${requestId} was refused (${errorCode}): ${errorMessage}`,
});
export type RefusedRequest = EventOf<typeof RequestRefused>['data'];

/**
 * Refusals counted per code and minute: those beyond the sixtieth of a key, and those of clients without a valid key or not
 * on the allowlist, by address.
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
