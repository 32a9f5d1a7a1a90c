import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Cause } from '../projecting/commandHandler.ts';

export interface ManagementState {
  requestId: string;
  /** Who asks; set once access has been checked. */
  cause: Cause;
}

export type ManagementContext = RouterContext<ManagementState>;
export type ManagementMiddleware = Middleware<ManagementState>;

/** Routes of one resource. What a handler returns is the answer, see `answers.ts`. */
export const newRouter = (prefix: string): Router<ManagementState> => new Router({ prefix, sensitive: true });
