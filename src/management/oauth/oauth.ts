import { z } from 'zod';
import { onDuplicateSchema } from '../../domain/accountLink/events.ts';
import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import { type AccountId, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { queryText } from '../http/query.ts';
import { OPERATORS, READERS } from '../http/roles.ts';
import type { AccountLinks } from './accountLinks.ts';
import { linkErrorOf } from './linkOutcome.ts';
import type { StartedLink } from './startLink.ts';

const MAX_URL_LENGTH = 8_192;
const flowId = z.string().max(64);

const StartBody = wireObject({
  forceMethod: z.enum(['browser', 'device']).optional(),
  /** The account to sign in again. */
  accountId: z.string().min(1).max(512).optional(),
  on_duplicate: onDuplicateSchema(z).optional(),
});
const CompleteBody = wireObject({
  flowId: flowId.optional(),
  deviceAuthId: z.string().max(MAX_URL_LENGTH).optional(),
  userCode: z.string().max(64).optional(),
});
const ManualCallbackBody = wireObject({
  callbackUrl: z.string().min(1).max(MAX_URL_LENGTH),
  flowId: flowId.optional(),
});
const CancelBody = wireObject({ flowId: flowId.optional() });
const flowQuery = { flowId: flowId.optional() };

/** Fields that belong to the other method are null. */
const StartedFlow = z
  .object({
    flowId: z.string(),
    method: z.enum(['browser', 'device']),
    authorizationUrl: z.string().nullable(),
    callbackUrl: z.string().nullable(),
    verificationUrl: z.string().nullable(),
    userCode: z.string().nullable(),
    deviceAuthId: z.string().nullable(),
    intervalSeconds: z.number().nullable(),
    expiresInSeconds: z.int(),
    callback_problem: z
      .string()
      .nullable()
      .describe('Why this machine does not receive the callback; send its address to /api/oauth/manual-callback then'),
  })
  .meta({ id: 'OAuthStart' });

/** Before the first sign-in, `status` is pending and every other field null. */
const FlowStatus = z
  .object({
    status: z.enum(['pending', 'success', 'error']),
    errorMessage: z.string().nullable(),
    error_code: z.string().nullable(),
    flowId: z.string().nullable(),
    method: z.enum(['browser', 'device']).nullable(),
    account_id: z.string().nullable().describe('The linked account; before success the account to sign in again'),
    outcome: z.enum(['imported', 'replaced', 'skipped']).nullable(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OAuthStatus' });

const routes = {
  start: describeRoute({
    roles: OPERATORS,
    summary: 'Start linking an account by signing in at the provider',
    body: StartBody,
    response: StartedFlow,
    errors: [
      'validation_error',
      'account_not_found',
      'rate_limit_exceeded',
      'device_auth_unavailable',
      'device_auth_failed',
    ],
  }),
  status: describeRoute({
    carriesSecret: true,
    roles: READERS,
    at: { none: 'links under way exist in the memory of one node' },
    summary: 'Get the status of a sign-in; without flowId of the latest one',
    query: flowQuery,
    response: FlowStatus,
    errors: ['oauth_flow_not_found'],
  }),
  complete: describeRoute({
    roles: OPERATORS,
    summary: 'Get the status of a device sign-in, which completes without this call',
    body: CompleteBody,
    response: FlowStatus,
    errors: ['validation_error', 'oauth_flow_not_found'],
  }),
  manualCallback: describeRoute({
    roles: OPERATORS,
    summary: 'Complete a browser sign-in with the callback address, for browsers on another machine',
    body: ManualCallbackBody,
    response: FlowStatus,
    errors: ['validation_error', 'oauth_flow_not_found'],
  }),
  cancel: describeRoute({
    roles: OPERATORS,
    summary: 'Cancel a sign-in; without flowId the latest one',
    body: CancelBody,
    response: FlowStatus,
    errors: ['validation_error', 'oauth_flow_not_found'],
  }),
};

const MAY_BE_EMPTY = { mayBeEmpty: true } as const;

interface OAuthOptions extends Pick<Capabilities, 'views' | 'vault' | 'now'> {
  readonly links: AccountLinks;
}

/** Linking accounts by OAuth (docs/decisions/0050-oauth-linking.md). */
export const oauthRoutes = ({ views, vault, now, links }: OAuthOptions) => {
  const find = (flowId: string | undefined): AccountLink | undefined => {
    const known = views.current.links;
    if (flowId === undefined) return [...known.values()].at(-1);
    return known.get(flowId) ?? refuse('oauth_flow_not_found', { flowId });
  };
  const statusOf = (link: AccountLink | undefined) => (link ? flowStatus(link, views.current, vault) : NO_FLOW);

  return newRouter('/api/oauth')
    .post('/start', routes.start, async (ctx) => {
      const body = await readBody(ctx, StartBody, 'validation_error', MAY_BE_EMPTY);
      const request = {
        method: body.forceMethod ?? 'browser',
        target: (body.accountId ?? null) as AccountId | null,
        onDuplicate: body.on_duplicate ?? (views.current.settings.importWithoutOverwrite ? 'skip' : 'refuse'),
      } as const;
      const started = await links.startLink(request, ctx.state.cause);
      return startedFlow(started, Math.max(0, Math.floor((started.link.expiresAt - now()) / 1_000)));
    })
    .get('/status', routes.status, (ctx) => statusOf(find(queryText(ctx, 'flowId'))))
    .post('/complete', routes.complete, async (ctx) => {
      const { flowId } = await readBody(ctx, CompleteBody, 'validation_error', MAY_BE_EMPTY);
      return statusOf(find(flowId));
    })
    .post('/manual-callback', routes.manualCallback, async (ctx) => {
      const { callbackUrl, flowId } = await readBody(ctx, ManualCallbackBody, 'validation_error');
      const linkId = flowId === undefined ? undefined : find(flowId)?.id;
      const source = { cause: withoutIdempotencyKey(ctx), linkId };
      const link = await links.receiveCallback(parseCallbackUrl(callbackUrl), 'paste', source);
      return statusOf(link ?? refuse('validation_error', UNKNOWN_CALLBACK));
    })
    .post('/cancel', routes.cancel, async (ctx) => {
      const { flowId } = await readBody(ctx, CancelBody, 'validation_error', MAY_BE_EMPTY);
      const link = find(flowId) ?? refuse('oauth_flow_not_found');
      return statusOf(await links.cancelLink(link.id, ctx.state.cause));
    })
    .routes();
};

const NO_FLOW: z.infer<typeof FlowStatus> = {
  status: 'pending',
  errorMessage: null,
  error_code: null,
  flowId: null,
  method: null,
  account_id: null,
  outcome: null,
  expires_at: null,
};

const UNKNOWN_CALLBACK = {
  param: 'callbackUrl',
  problem:
    'does not belong to this sign-in: copy the complete address that the browser shows at the end, or start again',
};

function flowStatus(link: AccountLink, state: HotState, vault: Vault): z.infer<typeof FlowStatus> {
  const { id, progress, device, target, expiresAt } = link;
  return {
    status: isOpen(link) ? 'pending' : progress.kind === 'done' ? 'success' : 'error',
    errorMessage: linkErrorOf(link, state, vault),
    error_code: progress.kind === 'failed' ? progress.code : null,
    flowId: id,
    method: device ? 'device' : 'browser',
    account_id: progress.kind === 'done' ? progress.accountId : target,
    outcome: progress.kind === 'done' ? progress.outcome : null,
    expires_at: iso(expiresAt),
  };
}

const startedFlow = (
  { link, authorizationUrl, device, callbackProblem }: StartedLink,
  expiresInSeconds: number,
): z.infer<typeof StartedFlow> => ({
  flowId: link.id,
  method: link.device ? 'device' : 'browser',
  authorizationUrl,
  callbackUrl: link.browser?.redirectUri ?? null,
  verificationUrl: device?.verificationUrl ?? null,
  userCode: device?.userCode ?? null,
  deviceAuthId: device?.deviceAuthId ?? null,
  intervalSeconds: link.device ? link.device.intervalMs / 1_000 : null,
  expiresInSeconds,
  callback_problem: callbackProblem,
});

/** Parameters of a pasted address; also accepts its query string alone. */
function parseCallbackUrl(pasted: string): URLSearchParams {
  const text = pasted.trim();
  const query = text.slice(text.indexOf('?') + 1).split('#', 1)[0] ?? '';
  return new URLSearchParams(query);
}

/**
 * A callback writes to several streams, so event ids cannot derive from an idempotency key. A repeat is harmless anyway:
 * each link accepts one code.
 */
function withoutIdempotencyKey(ctx: ManagementContext): Cause {
  const { write: _, ...cause } = ctx.state.cause;
  return cause;
}
