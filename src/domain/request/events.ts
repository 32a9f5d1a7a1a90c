import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema, type Zod } from '../core/schema.ts';
import {
  accountIdSchema,
  apiKeyIdSchema,
  instantSchema,
  microDollarsSchema,
  positionSchema,
  sealedSchema,
} from '../core/schemas.ts';
import { describeFailedAttempts } from './describeAttempts.ts';

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
    /** Accounts in a cool-down, and its end; in choices before version 3 of the rule. */
    cooling: z.array(z.tuple([accountIdSchema(z), instantSchema(z)])).optional(),
    /** The round-robin counter of this node. */
    turn: z.int().min(0).optional(),
    /** The conversation's account by a completed request that was not in the log yet. */
    pinnedTo: accountIdSchema(z).optional(),
  }),
);

/** The overlay since version 2. */
const overlayV2 = schema((z) =>
  overlay(z).extend({
    /**
     * The number of this process's last change of a cool-down (`AccountsCooled`, `AccountRecovered`): those up to it counted,
     * also if they were not in the log yet. Choices before version 3 of the rule have `cooling` instead.
     */
    coolDowns: z.int().min(1).optional(),
  }),
);

/** An attempt in version 1: never changed. */
const attemptV1 = schema((z) =>
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

/** One attempt with one account, and the decision that chose it. */
export const attemptSchema = schema((z) =>
  attemptV1(z).extend({
    overlay: overlayV2(z).optional(),
    /** HTTP status of the provider's response. */
    providerStatus: z.int().min(0).optional(),
    /** Why there was no response, for example `ECONNRESET`. */
    errno: z.string().optional(),
    /** Host and port of the proxy that it went through. */
    proxy: z.string().optional(),
    /** Where the provider had to process it, as the account's token said. */
    region: z.string().optional(),
    /** How long the request waited before this attempt. */
    waitedMs: z.int().min(0).optional(),
  }),
);
export type Attempt = Infer<typeof attemptSchema>;

/** A choice without an available account, in version 1. */
const emptyChoiceV1 = schema((z) => z.object({ ...decision(z), overlay: overlay(z).optional(), reason: z.string() }));

/** A choice without an available account; replay must reach the same result. */
const emptyChoice = schema((z) => emptyChoiceV1(z).extend({ overlay: overlayV2(z).optional() }));

const estimate = schema((z) => z.object({ inputTokens: z.int(), outputTokens: z.int(), costMicroDollars: z.int() }));

/** Input of the limit check in version 1: the estimate, and the amount that open requests had reserved on each rule. */
const admissionV1 = schema((z) =>
  z.object({ ...decision(z), estimate: estimate(z), reserved: z.array(z.tuple([z.int(), z.int()])) }),
);

/** Input of the limit check: the estimate, and what open requests had reserved on each applicable rule. */
export const admissionSchema = schema((z) =>
  z.object({
    ...decision(z),
    estimate: estimate(z),
    /** Where the estimate comes from, for example `key`: what the key's answers have lately used. */
    estimateSource: z.string().optional(),
    /**
     * The level of the limit (`key`, `owner`, `team`), whose it is, its rule, and the reserved amount. Null stands for the key
     * of the request, whose id would make up a tenth of the event.
     */
    reserved: z.array(z.tuple([z.string(), z.string().nullable(), z.int(), z.int()])),
    /**
     * The number of nodes that shared the limits, if there were several. In `reserved`, what only this node knew of counts
     * once for each of them.
     */
    nodes: z.int().min(2).optional(),
  }),
);
export type Admission = Infer<typeof admissionSchema>;

/** Fields that every event about a request begins with, in version 1. */
const requestedV1 = (z: Zod) => ({
  requestId: z.string().min(1),
  keyId: apiKeyIdSchema(z).nullable(),
  /** Path of the surface, e.g. `/v1/responses`. */
  route: z.string(),
  model: z.string(),
  effort: z.string().nullable(),
  requestedAt: instantSchema(z),
  /** Absent while keys are not required: then there is no limit to check. */
  admission: admissionV1(z).optional(),
});

/** Who sent a request, as far as the request says so. */
const client = schema((z) =>
  z.object({
    /** Address and user agent, which may belong to a person. In one text, because each sealed text adds 80 bytes. */
    sealed: sealedSchema(z).optional(),
    /** HMAC of the address under the data key that it is sealed under: without that key it means nothing. */
    addressDigest: z.string().optional(),
    originator: z.string().optional(),
    /** Name and version as in the user agent, for example `codex_exec` and `0.169.0`. */
    name: z.string().optional(),
    version: z.string().optional(),
  }),
);

export type RequestClient = Infer<typeof client>;

/** The websocket that a request came on, and what it asked for there. */
const requestSocket = schema((z) =>
  z.object({
    /** The same for all requests of the socket. */
    id: z.string().min(1),
    /** The number of the request on it, from 1. */
    number: z.int().min(1),
    /** `turn`, `prewarm` or `compaction`. */
    kind: z.string(),
    /** The request has only what is new since an earlier response of the socket, not the whole conversation. */
    isContinued: z.boolean(),
  }),
);

export type RequestSocket = Infer<typeof requestSocket>;

/** The `transport` of a request that came on a websocket. */
export const WEBSOCKET = 'websocket';

const requested = (z: Zod) => {
  const { admission: _, ...fields } = requestedV1(z);
  return {
    ...fields,
    /** To whom the key belonged at the time. */
    owner: z.string().optional(),
    team: z.string().optional(),
    /** How the client spoke to svc, if not by one HTTP request: `WEBSOCKET`. */
    transport: z.string().optional(),
    socket: requestSocket(z).optional(),
    /** HMAC of the conversation's id, also where no account is pinned. */
    conversation: z.string().optional(),
    /** HMACs of further ids, where a request names different ones. */
    otherConversations: z.array(z.string()).optional(),
    client: client(z).optional(),
    /** W3C trace context. */
    trace: z.object({ traceId: z.string(), parentId: z.string() }).optional(),
    /** Absent while keys are not required: then there is no limit to check. */
    admission: admissionSchema(z).optional(),
  };
};

/** Reservations of version 1 were always those of the key. */
const upcastAdmission = (data: unknown): unknown => {
  const request = data as Infer<typeof completedRequestV1>;
  if (!request.admission) return request;
  const reserved = request.admission.reserved.map(([ruleId, amount]) => ['key', null, ruleId, amount]);
  return { ...request, admission: { ...request.admission, reserved } };
};

/** Recorded for requests that stay open, so that other nodes and the next process know of them. */
export const RequestAdmitted = event('RequestAdmitted', {
  version: 2,
  data: (z) =>
    z.object({
      ...requested(z),
      accountId: accountIdSchema(z).nullable(),
      /** The requested `service_tier`; absent for the default tier. */
      serviceTier: z.string().optional(),
    }),
  describe: ({ requestId, model }) => `request ${requestId} for ${model} was admitted`,
  upcasters: [upcastAdmission],
});

/** How a request ended, from its status to its service tier; the same in all versions. */
const ended = (z: Zod) => ({
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
});

/** Data of `RequestCompleted` in version 1: never changed. */
export const completedRequestV1 = schema((z) =>
  z.object({
    ...requestedV1(z),
    ...ended(z),
    /** HMAC of the conversation's key; only a 200 that is not `isFallback` pins the conversation to the account. */
    pin: z.object({ digest: z.string(), isFallback: z.boolean() }).optional(),
    attempts: z.array(attemptV1(z)),
    /** Set when the last choice found no account. */
    refusal: emptyChoiceV1(z).optional(),
  }),
);

/** Data of `RequestCompleted` in version 2: a new field makes version 3. */
export const completedRequestV2 = schema((z) =>
  z.object({
    ...requested(z),
    /** How often `RequestAdmitted` was written for it, which the log may get later; absent for never. */
    announcements: z.int().min(1).optional(),
    ...ended(z),
    pin: z
      .object({
        /** HMAC of the conversation's key. */
        digest: z.string(),
        /** Only a 200 that is not a fallback pins the conversation to the account. */
        isFallback: z.boolean(),
        /** The header or field that named the conversation. */
        source: z.string().optional(),
        /** The account to which the conversation was pinned when the request came; null when to none. */
        resolvedTo: accountIdSchema(z).nullable().optional(),
      })
      .optional(),
    attempts: z.array(attemptSchema(z)),
    /** Set when the last choice found no account. */
    refusal: emptyChoice(z).optional(),
    /** `type` and `param` of the provider's error. */
    errorType: z.string().optional(),
    errorParam: z.string().optional(),
  }),
);

/**
 * The data of every stored version of `RequestCompleted`. Each reader of stored requests must have an entry for each of them,
 * otherwise it does not compile.
 */
export const completedRequestVersions = { 1: completedRequestV1, 2: completedRequestV2 } as const;

export const RequestCompleted = event('RequestCompleted', {
  version: 2,
  data: completedRequestV2,
  describe: ({ requestId, model, status, accountId, errorCode, attempts }) =>
    `request ${requestId} for ${model} ended with ${status}${errorCode ? ` (${errorCode})` : ''}${accountId ? ` on account ${accountId}` : ''}${describeFailedAttempts(attempts)}`,
  upcasters: [upcastAdmission],
});
export type CompletedRequest = EventOf<typeof RequestCompleted>['data'];

/** Refused before any account was tried. */
export const RequestRefused = event('RequestRefused', {
  version: 2,
  data: (z) =>
    z.object({
      ...requested(z),
      status: z.string(),
      errorCode: z.string(),
      errorMessage: z.string(),
      latencyMs: z.int().min(0),
      /** Position of the fold that refused it. */
      decidedAt: positionSchema(z).optional(),
      /** The limit that was reached: whose it is, its rule, and the counted and the reserved amount. */
      limit: z
        .object({
          level: z.string().optional(),
          subject: z.string().optional(),
          ruleId: z.int(),
          counted: z.int(),
          reserved: z.int(),
          ceiling: z.int(),
        })
        .optional(),
      refusal: emptyChoice(z).optional(),
    }),
  describe: ({ requestId, errorCode, errorMessage }) =>
    `request ${requestId} was refused (${errorCode}): ${errorMessage}`,
  upcasters: [upcastAdmission],
});
export type RefusedRequest = EventOf<typeof RequestRefused>['data'];

/**
 * Refusals counted per code and minute: those beyond the sixtieth of a key, and those of clients without a valid key or not
 * on the allowlist, by address.
 */
export const RefusalsCounted = event('RefusalsCounted', {
  version: 2,
  data: (z) =>
    z.object({
      keyId: apiKeyIdSchema(z).nullable(),
      address: z.string().nullable(),
      minute: instantSchema(z),
      counts: z.record(z.string(), z.int().min(1)),
      /** Positions of the fold that refused the first and the last of them. */
      decidedAt: z.tuple([positionSchema(z), positionSchema(z)]).optional(),
    }),
  describe: ({ counts }) =>
    `${Object.values(counts).reduce((sum, count) => sum + count, 0)} more requests were refused within one minute`,
  upcasters: [(data) => data],
});

export type RequestEvent =
  | EventOf<typeof RequestAdmitted>
  | EventOf<typeof RequestCompleted>
  | EventOf<typeof RequestRefused>
  | EventOf<typeof RefusalsCounted>;
