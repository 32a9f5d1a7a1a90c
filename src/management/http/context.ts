import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Session } from '../../domain/session/state.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';

export interface Client {
  readonly address: string;
  /** Set when the client is not known to sit at this machine. */
  readonly whyNotLocal: string | undefined;
  /** A session that holds; TOTP may be pending. */
  readonly session: Session | undefined;
}

export interface ManagementState {
  requestId: string;
  client: Client;
  /** Who asks, for the log. */
  cause: Cause;
}

export type ManagementContext = RouterContext<ManagementState>;
export type ManagementMiddleware = Middleware<ManagementState>;
/** What every middleware has, with a route or without. */
export type AnyContext = Parameters<ManagementMiddleware>[0];

/** Routes of one resource. What a handler returns is the answer, see `answers.ts`. */
export const newRouter = (prefix: string): Router<ManagementState> => new Router({ prefix, sensitive: true });
