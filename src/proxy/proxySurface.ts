import { z } from 'zod';
import { roles as ROLES } from '../domain/operator/role.ts';
import { errors } from '../http/errors/errors.ts';
import type { Surface as DocumentedSurface, Endpoint, PlacedEndpoint } from '../http/openApi/endpoint.ts';
import { ChatCompletion, ChatCompletionChunk, ChatRequest } from './chat/wire.ts';
import { type DialectName, isPublic, needsKey, type ProxyRoute, proxyRoutes } from './routes/routes.ts';
import { TRANSCRIPTION_MODEL } from './transcribe/transcriptionForm.ts';

// Describes the proxy for the OpenAPI document. The proxy validates requests on their bytes (responses/schema.ts), not by these
// schemas; `test/openApi.int.test.ts` checks responses against them.

const ProxyError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string(),
      param: z.string().optional(),
      plan_type: z.string().optional(),
      resets_at: z.number().optional(),
      resets_in_seconds: z.number().optional(),
    }),
  })
  .meta({ id: 'ProxyError' });

const reasoning = z.looseObject({ effort: z.string().optional(), summary: z.string().nullish() });
const optional = {
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: reasoning.nullish(),
  text: z.looseObject({ verbosity: z.string().optional(), format: z.looseObject({}).optional() }).nullish(),
  stream: z.boolean().optional(),
  store: z.literal(false).nullish(),
  include: z.array(z.string()).nullish(),
  conversation: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
};
const required = { model: z.string(), input: z.union([z.string(), z.array(z.looseObject({}))]) };

const SvcResponsesRequest = z
  .looseObject({ ...required, instructions: z.string(), ...optional })
  .describe('Instead of instructions, input may begin with a developer or system message')
  .meta({ id: 'SvcResponsesRequest' });
const V1ResponsesRequest = z
  .looseObject({ ...required, instructions: z.string().nullish(), ...optional })
  .meta({ id: 'ResponsesRequest' });

const Response = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    status: z.string(),
    output: z.array(z.looseObject({})),
  })
  .meta({ id: 'Response' });
const StreamEvent = z.looseObject({ type: z.string() }).meta({ id: 'ResponseStreamEvent' });

const Compaction = z
  .looseObject({
    id: z.string(),
    object: z.string(),
    status: z.string(),
    output: z.array(z.looseObject({ type: z.string() })),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullish(),
  })
  .meta({ id: 'Compaction' });

const transcriptionFields = {
  file: z.string().meta({ format: 'binary' }),
  prompt: z.string().optional(),
  language: z.string().optional(),
};
const Transcript = z.looseObject({ text: z.string() }).meta({ id: 'Transcript' });

const Model = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    metadata: z.looseObject({ display_name: z.string().optional(), context_window: z.int().optional() }),
  })
  .meta({ id: 'Model' });
const ModelsList = z
  .object({
    object: z.literal('list'),
    data: z.array(Model),
    models: z
      .array(z.looseObject({ slug: z.string() }))
      .describe('The same models as the provider describes them, for Codex'),
  })
  .meta({ id: 'Models' });

const windowUsage = z
  .object({
    used_percent: z.int().min(0).max(100),
    limit_window_seconds: z.int(),
    reset_after_seconds: z.int().min(0),
    reset_at: z.int().describe('Unix time'),
  })
  .nullable();
const Usage = z
  .object({
    plan_type: z.string(),
    rate_limit: z
      .object({
        allowed: z.boolean(),
        limit_reached: z.boolean(),
        primary_window: windowUsage,
        secondary_window: windowUsage,
      })
      .nullable(),
    credits: z
      .object({
        has_credits: z.boolean(),
        unlimited: z.boolean(),
        balance: z.string(),
        approx_local_messages: z.null(),
        approx_cloud_messages: z.null(),
      })
      .nullable(),
  })
  .meta({ id: 'PoolUsage' });

const Workspaces = z
  .object({
    accounts: z.array(
      z.object({
        id: z.string().describe("The client's own `chatgpt-account-id`"),
        workspace_backend_origin: z.string().describe('NO_CONSTRAINT or an HTTPS origin'),
        account_routing_override: z.literal('NO_CONSTRAINT'),
      }),
    ),
  })
  .meta({ id: 'CodexWorkspaces' });
const Policies = z.object({}).describe('Always empty').meta({ id: 'CodexPolicies' });

/** Errors of every endpoint that calls the provider. */
const callErrors = [
  'invalid_request_error',
  'model_not_allowed',
  'rate_limit_exceeded',
  'request_too_large',
  'upgrade_required',
  'upstream_error',
  'no_accounts',
  'no_account_in_region',
  'shutting_down',
  'outbox_full',
  'sink_unavailable',
  'overloaded',
  'out_of_file_descriptors',
  'log_unavailable',
] as const;

type EndpointName = Exclude<ProxyRoute['kind'], 'conversation'> | 'v1Transcription';
const nameOf = (route: ProxyRoute): DialectName | EndpointName => {
  if (route.kind === 'conversation') return route.dialect;
  return route.kind === 'transcription' && route.mustNameModel ? 'v1Transcription' : route.kind;
};

/** By dialect or kind of route. The compiler requires an entry for each. */
const endpoints: Readonly<Record<DialectName | EndpointName, Endpoint>> = {
  svc: {
    summary: 'Send a request to one of the accounts and stream the response',
    body: SvcResponsesRequest,
    response: 'stream',
    stream: StreamEvent,
    errors: callErrors,
  },
  v1: {
    summary: 'Send a request to one of the accounts; streams only on request',
    body: V1ResponsesRequest,
    response: Response,
    stream: StreamEvent,
    errors: callErrors,
  },
  chat: {
    summary: 'Send a chat to one of the accounts; streams only on request',
    body: ChatRequest,
    response: ChatCompletion,
    stream: ChatCompletionChunk,
    errors: callErrors,
  },
  svcCompact: {
    summary: 'Compact a conversation',
    body: SvcResponsesRequest,
    response: Compaction,
    errors: [...callErrors, 'not_implemented'],
  },
  v1Compact: {
    summary: 'Compact a conversation',
    body: V1ResponsesRequest,
    response: Compaction,
    errors: [...callErrors, 'not_implemented'],
  },
  transcription: {
    summary: 'Transcribe audio',
    form: z.object(transcriptionFields),
    response: Transcript,
    errors: [...callErrors, 'validation_error'],
  },
  v1Transcription: {
    summary: 'Transcribe audio',
    form: z.object({ ...transcriptionFields, model: z.literal(TRANSCRIPTION_MODEL) }),
    response: Transcript,
    errors: [...callErrors, 'validation_error'],
  },
  models: { summary: 'List the models that the pool serves and the key may use', response: ModelsList },
  model: { summary: 'Get one of these models', response: Model, errors: ['model_not_found'] },
  usage: { summary: 'Usage of the pool, in the form that Codex reads', response: Usage },
  workspaces: {
    summary: "The workspace of Codex's own sign-in, without which it sends no model request; says nothing of the pool",
    response: Workspaces,
  },
  policies: {
    summary: "The policies of the workspace of Codex's own sign-in, of which svc has none",
    response: Policies,
  },
};

/** The endpoints of the proxy, for the OpenAPI document. */
export const proxySurface: DocumentedSurface = {
  endpoints: [...proxyRoutes.values()].map(
    (route): PlacedEndpoint => ({
      ...endpoints[nameOf(route)],
      method: route.method.toLowerCase(),
      path: route.path,
      tag: 'proxy',
      // Not a route of management, so no role of operators matters.
      ...(route.path.startsWith('/api/') && { roles: ROLES }),
    }),
  ),
  security: 'apiKey',
  error: ProxyError,
  toWire: (code) => ({ status: errors[code].status, code: errors[code].wireCode ?? code }),
  isPublic: ({ path }) => !needsKey(path, proxyRoutes.get(path)),
  commonErrors: ({ path }) => {
    const route = proxyRoutes.get(path);
    if (isPublic(route)) return ['internal_error'];
    const errorsOfAllowlist = ['ip_forbidden', 'remote_access_disabled', 'internal_error'] as const;
    return needsKey(path, route) ? ['invalid_api_key', ...errorsOfAllowlist] : errorsOfAllowlist;
  },
};
