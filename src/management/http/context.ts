import { createRequire } from 'node:module';
import type { Router, RouterContext, RouterMiddleware } from '@koa/router';
import type { Middleware } from 'koa';
import type { Refusal } from '../../domain/core/refusal.ts';
import type { Session } from '../../domain/session/state.ts';
import type { Endpoint, PastOfRoute, RoleSet } from '../../http/openApi/endpoint.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Principal } from '../people/principal.ts';

export interface Client {
  readonly address: string;
  /** Why the client is not known to run on this machine; undefined when it is known to. */
  readonly notLocalReason: string | undefined;
  /** A valid session; its TOTP verification may be pending. */
  readonly session: Session | undefined;
  readonly userAgent: string | null;
  /** Why a management token that the request carries is not valid. */
  readonly tokenRefusal?: Refusal;
}

/** The values of each query parameter that a request has, by the name that its route declares. */
export type Query = ReadonlyMap<string, readonly string[]>;

export interface ManagementState {
  requestId: string;
  client: Client;
  /** Who makes the request; undefined without a sign-in, or while TOTP is pending. */
  principal: Principal | undefined;
  /** Called when the role or the token does not allow what was tried. */
  recordDenied: (action: string) => Promise<void>;
  /** Called before the first event of what cannot be undone. @throws Refusal `reauthentication_required` | `scope_required` */
  authorizeIrreversible: () => void;
  /** Called once the role allows the route. @throws Refusal `validation_error` */
  readIdempotencyKey?: () => void;
  /** Recorded in the metadata of every event that the request leads to. */
  cause: Cause;
  /** Set by `describeRoute`; read by the functions of `query.ts`. */
  query: Query;
  /** Set by `describeRoute`: whether the body may be compressed. */
  isCompressible?: boolean;
}

export type ManagementContext = RouterContext<ManagementState>;
export type ManagementMiddleware = Middleware<ManagementState>;
/** The context of middleware that runs with or without a matching route. */
export type AnyContext = Parameters<ManagementMiddleware>[0];

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request may change state, by its method. */
export const isWrite = ({ method }: { readonly method: string }): boolean => !SAFE_METHODS.has(method);

/** The description of a GET, made by `describeRoute`. */
export interface DescribedRead extends ManagementMiddleware {
  readonly endpoint: Endpoint & { readonly roles: RoleSet; readonly at: PastOfRoute };
}
/** The description of any other route. */
export interface DescribedWrite extends ManagementMiddleware {
  readonly endpoint: Endpoint & { readonly roles: RoleSet; readonly at?: never };
}

type Steps = RouterMiddleware<ManagementState>[];

/** A router whose routes begin with their description: one without roles, or a GET without `at`, does not compile. */
export interface ResourceRouter {
  get(path: string, description: DescribedRead, ...steps: Steps): this;
  post(path: string, description: DescribedWrite, ...steps: Steps): this;
  put(path: string, description: DescribedWrite, ...steps: Steps): this;
  patch(path: string, description: DescribedWrite, ...steps: Steps): this;
  delete(path: string, description: DescribedWrite, ...steps: Steps): this;
  routes(): ReturnType<Router<ManagementState>['routes']>;
}

const require = createRequire(import.meta.url);

/**
 * Creates the router for one resource. `respond` sends what a handler returns as the response body. The package is loaded with
 * the first router: commands such as `svc show` import resources to render them, and without HTTP they start a third faster.
 */
export function newRouter(prefix: string): ResourceRouter {
  const { Router: KoaRouter } = require('@koa/router') as typeof import('@koa/router');
  return new KoaRouter<ManagementState>({ prefix, sensitive: true }) as ResourceRouter;
}
