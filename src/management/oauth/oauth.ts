import { type AccountLink, isOpen } from '../../domain/accountLink/state.ts';
import { type AccountId, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Management } from '../app.ts';
import { bodyOf } from '../http/body.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { problemOf } from './linkOutcome.ts';
import type { BegunSignIn } from './startLink.ts';
import { CancelBody, CompleteBody, FlowStatus, flowQuery, ManualCallbackBody, StartBody, Started } from './wire.ts';

const start = documented({
  summary: 'Begins to link an account by signing in at the provider',
  body: StartBody,
  answer: Started,
  refuses: [
    'validation_error',
    'account_not_found',
    'rate_limit_exceeded',
    'device_auth_unavailable',
    'device_auth_failed',
  ],
});
const status = documented({
  summary: 'How a sign-in stands; without flowId the latest one',
  query: flowQuery,
  answer: FlowStatus,
  refuses: ['oauth_flow_not_found'],
});
const complete = documented({
  summary: 'Reports how a sign-in by device stands; nothing has to be asked for it to go on',
  body: CompleteBody,
  answer: FlowStatus,
  refuses: ['validation_error', 'oauth_flow_not_found'],
});
const manualCallback = documented({
  summary: 'Takes the address at which the browser ended, when it runs on another machine',
  body: ManualCallbackBody,
  answer: FlowStatus,
  refuses: ['validation_error', 'oauth_flow_not_found'],
});
const cancel = documented({
  summary: 'Gives up a sign-in; without flowId the latest one',
  body: CancelBody,
  answer: FlowStatus,
  refuses: ['validation_error', 'oauth_flow_not_found'],
});

const MAY_BE_EMPTY = { mayBeEmpty: true } as const;

/** Linking accounts by OAuth (provider-and-predecessor.md 3.1; `cancel` and fields in snake_case are our additions). */
export const oauthRoutes = (management: Management) => {
  const { hot, links, vault, now } = management;

  const find = (flowId: string | undefined): AccountLink | undefined => {
    if (flowId === undefined) return [...hot.state.links.values()].at(-1);
    return hot.state.links.get(flowId) ?? refuse('oauth_flow_not_found', { flowId });
  };

  function statusOf(link: AccountLink | undefined) {
    if (!link) return IDLE;
    const { id, progress, device, target, expiresAt } = link;
    return {
      status: isOpen(link) ? 'pending' : progress.kind === 'done' ? 'success' : 'error',
      errorMessage: problemOf(link, hot.state, vault),
      error_code: progress.kind === 'failed' ? progress.code : null,
      flowId: id,
      method: device ? 'device' : 'browser',
      account_id: progress.kind === 'done' ? progress.accountId : target,
      outcome: progress.kind === 'done' ? progress.outcome : null,
      expires_at: iso(expiresAt),
    };
  }

  const started = ({ link, authorizationUrl, device, callbackProblem }: BegunSignIn) => ({
    flowId: link.id,
    method: link.device ? 'device' : 'browser',
    authorizationUrl,
    callbackUrl: link.browser?.redirectUri ?? null,
    verificationUrl: device?.verificationUrl ?? null,
    userCode: device?.userCode ?? null,
    deviceAuthId: device?.deviceAuthId ?? null,
    intervalSeconds: link.device ? link.device.intervalMs / 1_000 : null,
    expiresInSeconds: Math.max(0, Math.floor((link.expiresAt - now()) / 1_000)),
    callback_problem: callbackProblem,
  });

  return newRouter('/api/oauth')
    .post('/start', start, async (ctx) => {
      const body = await bodyOf(ctx, StartBody, 'validation_error', MAY_BE_EMPTY);
      const request = {
        method: body.forceMethod ?? 'browser',
        target: (body.accountId ?? null) as AccountId | null,
        onDuplicate: body.on_duplicate ?? (hot.state.settings.importWithoutOverwrite ? 'skip' : 'refuse'),
      } as const;
      return started(await links.begin(request, ctx.state.cause));
    })
    .get('/status', status, (ctx) => {
      const { flowId, flow_id } = ctx.query;
      const given = flowId ?? flow_id;
      if (Array.isArray(given)) refuse('validation_error', { param: 'flowId', problem: 'is given twice' });
      return statusOf(find(given as string | undefined));
    })
    .post('/complete', complete, async (ctx) => {
      const { flowId } = await bodyOf(ctx, CompleteBody, 'validation_error', MAY_BE_EMPTY);
      return statusOf(find(flowId));
    })
    .post('/manual-callback', manualCallback, async (ctx) => {
      const { callbackUrl, flowId } = await bodyOf(ctx, ManualCallbackBody, 'validation_error');
      const linkId = flowId === undefined ? undefined : find(flowId)?.id;
      const link = await links.receive(callbackIn(callbackUrl), 'paste', { cause: onceByItself(ctx), linkId });
      return statusOf(link ?? refuse('validation_error', FOREIGN));
    })
    .post('/cancel', cancel, async (ctx) => {
      const { flowId } = await bodyOf(ctx, CancelBody, 'validation_error', MAY_BE_EMPTY);
      const link = find(flowId) ?? refuse('oauth_flow_not_found');
      return statusOf(await links.cancel(link.id, ctx.state.cause));
    })
    .routes();
};

const IDLE = {
  status: 'pending',
  errorMessage: null,
  error_code: null,
  flowId: null,
  method: null,
  account_id: null,
  outcome: null,
  expires_at: null,
};

const FOREIGN = {
  param: 'callbackUrl',
  problem: 'does not belong to this sign-in: copy the whole address at which the browser ended, or begin again',
};

/** The parameters of a pasted address, or of the part of it behind the question mark. */
function callbackIn(pasted: string): URLSearchParams {
  const text = pasted.trim();
  const query = text.slice(text.indexOf('?') + 1).split('#', 1)[0] ?? '';
  return new URLSearchParams(query);
}

/** A sign-in takes one code and writes to several streams: its own state makes a repeat harmless, not the ids of a key. */
function onceByItself(ctx: ManagementContext): Cause {
  const { write: _, ...cause } = ctx.state.cause;
  return cause;
}
