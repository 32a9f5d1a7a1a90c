import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Instant } from '../../../domain/core/brands.ts';
import { instantSchema } from '../../../domain/core/schemas.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { AnyContext } from '../../http/context.ts';
import { createEncryptedToken } from '../encryptedToken.ts';

/** A sign-in that was begun in a browser. The browser keeps it, encrypted: another browser cannot finish it. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  /** Where the browser goes afterwards: a local path. */
  readonly next: string;
  /** The session whose person must prove again who they are; null for a sign-in. */
  readonly sessionId: string | null;
  readonly startedAt: Instant;
}

const Content: z.ZodType<Flow> = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  sessionId: z.string().nullable(),
  startedAt: instantSchema(z),
});

export const FLOW_MS = 10 * 60_000;
/** Each is a cookie: more of them would make requests too large. */
const MAX_FLOWS_OF_BROWSER = 5;
const PREFIX = 'dashboard_oidc_';
/** Finished flows are remembered for as long as they could be repeated. More than this many within 10 minutes do not occur. */
const MAX_FINISHED = 10_000;

export interface Flows {
  /** A new flow that begins now. */
  create(flow: Pick<Flow, 'next' | 'sessionId'>): Flow;
  /** Sends the cookie of a flow, once the provider is known to be there. */
  begin(ctx: AnyContext, flow: Flow): void;
  /** The flow of this browser with a state, finished or not; undefined without one. Ends its cookie. */
  take(ctx: AnyContext, state: string): Flow | undefined;
  /** Marks a flow as finished. @returns false if it is over, or this node has finished it before */
  finish(flow: Flow): boolean;
}

export interface FlowsOptions {
  readonly vault: Vault;
  readonly now: () => Instant;
  /** The address under which people open the dashboard. */
  readonly publicUrl: string;
}

const PATH = '/api/dashboard-auth/oidc';
const newSecret = () => randomBytes(32).toString('base64url');
const cookieOf = (state: string) => `${PREFIX}${state.slice(0, 16)}`;

export function createFlows({ vault, now, publicUrl }: FlowsOptions): Flows {
  const { protocol, pathname } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}${PATH}`;
  const token = createEncryptedToken(vault, 'OIDC flow', Content);
  const finished = new Map<string, Instant>();

  const send = (ctx: AnyContext, name: string, value: string, seconds: number) => {
    // Lax: the provider's page leads back here. By the address that people use, whatever a proxy in between says.
    const secure = protocol === 'https:' ? '; Secure' : '';
    ctx.append('set-cookie', `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
  };
  const isOver = ({ startedAt }: Pick<Flow, 'startedAt'>) => !(now() - startedAt < FLOW_MS && startedAt <= now());

  /** The flows of a browser, in the order of their start; those that cannot be read first. */
  function known(ctx: AnyContext): string[] {
    const names = (ctx.headers.cookie ?? '').split(/; */).map((pair) => pair.slice(0, pair.indexOf('=')));
    const startOf = (name: string) => token.read(ctx.cookies.get(name) ?? '')?.startedAt ?? 0;
    return [...new Set(names.filter((name) => /^dashboard_oidc_[\w-]{16}$/.test(name)))].sort(
      (left, right) => startOf(left) - startOf(right),
    );
  }

  return {
    create: ({ next, sessionId }) => ({
      ...{ state: newSecret(), nonce: newSecret(), verifier: newSecret() },
      ...{ next, sessionId, startedAt: now() },
    }),
    begin(ctx, flow) {
      const others = known(ctx);
      for (const name of others.slice(0, Math.max(0, others.length - MAX_FLOWS_OF_BROWSER + 1))) send(ctx, name, '', 0);
      send(ctx, cookieOf(flow.state), token.write(flow), FLOW_MS / 1_000);
    },
    take(ctx, state) {
      const name = cookieOf(state);
      const flow = /^[\w-]{43}$/.test(state) ? token.read(ctx.cookies.get(name) ?? '') : undefined;
      if (flow?.state !== state) return undefined;
      send(ctx, name, '', 0);
      return flow;
    },
    finish(flow) {
      if (isOver(flow) || finished.has(flow.state)) return false;
      for (const [state, startedAt] of finished) {
        if (!isOver({ startedAt }) && finished.size < MAX_FINISHED) break;
        finished.delete(state);
      }
      finished.set(flow.state, flow.startedAt);
      return true;
    },
  };
}
