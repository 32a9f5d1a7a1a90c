import { z } from 'zod';
import { type Instant, instant } from '../../../domain/core/brands.ts';
import { Refusal } from '../../../domain/core/refusal.ts';
import type { RoleRule } from '../../../domain/operator/roleRules.ts';
import { SessionEnded } from '../../../domain/session/events.ts';
import type { Session } from '../../../domain/session/state.ts';
import type { Faults } from '../../../lib/faults.ts';
import type { Capabilities } from '../../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../../http/context.ts';
import { describeRoute } from '../../http/describeRoute.ts';
import { queryText } from '../../http/query.ts';
import type { ReportError } from '../../http/respond.ts';
import { EVERYONE } from '../../http/roles.ts';
import type { SignIn } from '../signIn.ts';
import { createAdmission } from './admission.ts';
import { createFlows, type Flow } from './flows.ts';
import { type Confirmed, type Issuer, ResponseRejected, SignInDeclined } from './issuer.ts';
import { IssuerUnavailable } from './issuerFetch.ts';
import { type OidcErrorCode, OidcSignInError, oidcErrorCodes } from './signInError.ts';

/** Sign-in by OIDC, as it is configured. */
export interface OidcServices {
  /** How the sign-in page names the provider. */
  readonly name: string;
  readonly issuer: Issuer;
  readonly roleRules: readonly RoleRule[];
  readonly roleClaim: string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
}

const AT = { none: 'it leads a browser from one page to another' };

const routes = {
  start: describeRoute({
    roles: EVERYONE,
    at: AT,
    summary: 'Lead the browser to the OpenID provider, and back to a local path after signing in',
    query: {
      next: z.string().optional().describe('A local path; / by default'),
      reauthenticate: z
        .enum(['true', 'false'])
        .optional()
        .describe('true: the person of the session proves who they are'),
    },
    response: 'redirect',
  }),
  callback: describeRoute({
    roles: EVERYONE,
    at: AT,
    summary: 'Receive the browser from the OpenID provider; a failure leads to /sign-in?error=<code>',
    isQueryOpen: true,
    response: 'redirect',
  }),
};

interface OidcAuthOptions extends Capabilities, SignIn {
  readonly publicUrl: string;
  /** Undefined where it is not configured. */
  readonly oidc?: OidcServices;
  readonly report: ReportError;
}

/** Sessions and flows of other clocks: those of svc and the provider may differ by this. */
const TOLERANCE_MS = 60_000;
/** So that five flows fit into the headers of a request. */
const MAX_NEXT_LENGTH = 1_000;
const FAULT_MS = 10 * 60_000;

/** Where the browser opens the dashboard again; other origins are refused. */
export const localPath = (next: string | undefined): string =>
  next !== undefined && next.length <= MAX_NEXT_LENGTH && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';

/**
 * Sign-in by OIDC (docs/decisions/0088-oidc-sign-in.md). Both routes are navigations of a browser: every outcome is a redirect to an
 * address below `SVC_PUBLIC_URL`, never to one that the request names.
 */
export const oidcAuthRoutes = (options: OidcAuthOptions) => {
  const { views, vault, now, publicUrl, oidc, actors, signIns, sessions, checkCredential, attemptFor, report } =
    options;
  const flows = createFlows({ vault, now, publicUrl });
  const admission = createAdmission({ ...options, roleRules: oidc?.roleRules ?? [], roleClaim: oidc?.roleClaim ?? '' });

  const redirect = (ctx: ManagementContext, location: string): void => {
    ctx.body = null;
    ctx.status = 302;
    ctx.set('location', location);
  };

  /** @param work returns where the browser goes */
  async function navigate(ctx: ManagementContext, next: () => string, work: () => Promise<string>): Promise<void> {
    try {
      redirect(ctx, await work());
    } catch (error) {
      const code = codeOf(error);
      if (code === 'internal_error') report(error, { request: ctx.state.requestId });
      if (error instanceof IssuerUnavailable) raise('oidc_unavailable', error);
      const query = new URLSearchParams({ error: code, ...(next() !== '/' && { next: next() }) });
      redirect(ctx, `${publicUrl}/sign-in?${query}`);
    }
  }

  function raise(code: 'oidc_unavailable' | 'oidc_rejected', { message }: Error): void {
    const fault =
      code === 'oidc_unavailable'
        ? {
            cause: `Sign-in by OIDC is not possible: ${message}.`,
            remedy: 'Check the OpenID provider, SVC_OIDC_ISSUER and the way to it. Local sign-in works meanwhile.',
          }
        : {
            cause: `A sign-in by OIDC was refused: ${message}.`,
            remedy:
              'If that lasts, check the client at the OpenID provider, its secret and redirect address, and the clock of this machine.',
          };
    oidc?.faults.raise({ code, ...fault }, { overAfterMs: FAULT_MS });
  }

  /**
   * Checks something that is recorded as a failed sign-in, and throttled.
   * @param verify throws OidcSignInError when it fails
   */
  async function check<Proof>(
    ctx: ManagementContext,
    { credential, account, operatorId }: { credential: string; account?: string; operatorId?: string | undefined },
    verify: () => Promise<Proof>,
  ): Promise<Proof> {
    let failure: OidcSignInError | undefined;
    const attempt = { credential, method: 'oidc', operatorId, ...(account !== undefined && { account }) } as const;
    const proof = await checkCredential(await attemptFor(ctx, operatorId), {
      ...attempt,
      async verify() {
        try {
          return { value: await verify() };
        } catch (error) {
          if (!(error instanceof OidcSignInError)) throw error;
          failure = error;
          return undefined;
        }
      },
      refusal: ['invalid_credentials'],
    }).catch((error: unknown) => {
      throw failure ?? error;
    });
    return proof.value;
  }

  /** What the provider confirms of who is back with a response. */
  const confirm = (ctx: ManagementContext, issuer: Issuer, response: URLSearchParams, flow: Flow | undefined) =>
    check(ctx, { credential: 'OIDC response' }, async () => {
      if (!flow || !flows.finish(flow)) throw new OidcSignInError('oidc_expired');
      try {
        const confirmed = await issuer.confirm(response, flow);
        oidc?.faults.clear('oidc_unavailable');
        oidc?.faults.clear('oidc_rejected');
        return confirmed;
      } catch (error) {
        if (error instanceof SignInDeclined) throw new OidcSignInError('oidc_declined');
        if (!(error instanceof ResponseRejected)) throw error;
        raise('oidc_rejected', error);
        throw new OidcSignInError('oidc_rejected');
      }
    });

  async function signIn(ctx: ManagementContext, confirmed: Confirmed): Promise<void> {
    const candidate = admission.candidateOf(confirmed);
    const account = vault.digest('OIDC identity', JSON.stringify([confirmed.issuer, confirmed.subject]));
    const operatorId = await check(ctx, { credential: 'OIDC person', account, operatorId: candidate?.id }, () =>
      admission.admit(confirmed, async (operatorId) => {
        const who = { operatorId, sessionId: null, method: 'oidc', usedTotp: false };
        return { ...ctx.state.cause, actor: await actors.of(ctx.state.client, who) };
      }),
    ).catch(async (error: unknown) => {
      if (error instanceof OidcSignInError && error.code === 'oidc_no_role') await endSessionsOf(ctx, error.operatorId);
      throw error;
    });
    const authenticatedAt = provedAt(confirmed);
    const isEarlier = authenticatedAt !== undefined && authenticatedAt < now();
    const signedIn = { operatorId, passwordId: null, method: 'oidc' };
    await sessions.start(ctx, { ...signedIn, ...(isEarlier && { authenticatedAt }) });
  }

  /** The provider no longer gives the operator a role. */
  async function endSessionsOf(ctx: ManagementContext, operatorId: string | undefined): Promise<void> {
    const { cause } = (await attemptFor(ctx, operatorId)).state;
    const ended = [...views.current.sessions.values()].filter(
      (session) => session.operatorId === operatorId && session.method === 'oidc',
    );
    for (const { id: sessionId } of ended) await signIns.recordQuietly(SessionEnded({ sessionId }), cause);
  }

  async function reauthenticate(ctx: ManagementContext, confirmed: Confirmed, flow: Flow): Promise<void> {
    const { session } = ctx.state.client;
    if (session?.id !== flow.sessionId) throw new OidcSignInError('oidc_expired');
    const { operatorId } = session as Session;
    await check(ctx, { credential: 'OIDC person', account: operatorId, operatorId }, async () => {
      if (admission.operatorOf(confirmed)?.id !== operatorId) throw new OidcSignInError('oidc_other_person');
      const since = provedAt(confirmed) ?? Number.NEGATIVE_INFINITY;
      if (since < flow.startedAt - TOLERANCE_MS) throw new OidcSignInError('oidc_not_fresh');
    });
    await sessions.markFresh(ctx, session as Session);
  }

  return newRouter('/api/dashboard-auth/oidc')
    .get('/start', routes.start, (ctx) => {
      const next = localPath(queryText(ctx, 'next'));
      return navigate(
        ctx,
        () => next,
        async () => {
          if (!oidc) throw new OidcSignInError('oidc_not_configured');
          const { session } = ctx.state.client;
          const isFresh = queryText(ctx, 'reauthenticate') === 'true' && session !== undefined;
          const secrets = flows.create({ next, sessionId: isFresh ? session.id : null });
          const url = await oidc.issuer.urlFor(secrets, isFresh);
          flows.begin(ctx, secrets);
          return url;
        },
      );
    })
    .get('/callback', routes.callback, (ctx) => {
      const response = new URLSearchParams(ctx.querystring);
      const flow = flows.take(ctx, response.get('state') ?? '');
      const next = flow?.next ?? '/';
      return navigate(
        ctx,
        () => next,
        async () => {
          if (!oidc) throw new OidcSignInError('oidc_not_configured');
          const confirmed = await confirm(ctx, oidc.issuer, response, flow);
          if (flow?.sessionId != null) await reauthenticate(ctx, confirmed, flow);
          else await signIn(ctx, confirmed);
          return `${publicUrl}${next}`;
        },
      );
    })
    .routes();
};

/** When the person proved who they are to the provider, as far as it says. */
function provedAt({ authTime }: Confirmed): Instant | undefined {
  return authTime !== undefined && Number.isFinite(authTime) && authTime > 0
    ? instant(Math.floor(authTime * 1_000))
    : undefined;
}

const isKnown = (code: string): code is OidcErrorCode => (oidcErrorCodes as readonly string[]).includes(code);

function codeOf(error: unknown): OidcErrorCode {
  if (error instanceof OidcSignInError) return error.code;
  if (error instanceof IssuerUnavailable) return 'oidc_unavailable';
  // The operator was disabled while they signed in.
  if (error instanceof Refusal && error.code === 'invalid_credentials') return 'oidc_disabled';
  return error instanceof Refusal && isKnown(error.code) ? error.code : 'internal_error';
}
