import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Session } from '../../domain/session/state.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';

export interface Client {
  readonly address: string;
  /** Why the client is not known to run on this machine; undefined when it is known to. */
  readonly notLocalReason: string | undefined;
  /** A valid session; its TOTP verification may be pending. */
  readonly session: Session | undefined;
}

/** The values of each query parameter that a request has, by the name that its route declares. */
export type Query = ReadonlyMap<string, readonly string[]>;

export interface ManagementState {
  requestId: string;
  client: Client;
  /** Recorded in the metadata of every event that the request leads to. */
  cause: Cause;
  /** Set by `describeRoute`; read by the functions of `query.ts`. */
  query: Query;
}

export type ManagementContext = RouterContext<ManagementState>;
export type ManagementMiddleware = Middleware<ManagementState>;
/** The context of middleware that runs with or without a matching route. */
export type AnyContext = Parameters<ManagementMiddleware>[0];

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request may change state, by its method. */
export const isWrite = ({ method }: { readonly method: string }): boolean => !SAFE_METHODS.has(method);

/** Creates the router for one resource. `respond` sends what a handler returns as the response body. */
export const newRouter = (prefix: string): Router<ManagementState> => new Router({ prefix, sensitive: true });
