import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { instantSchema } from '../../domain/core/schemas.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AnyContext } from '../http/context.ts';
import { createEncryptedToken } from './encryptedToken.ts';

/** A session id and the expiry of the cookie. Whether the session is valid is decided from the hot state. */
export interface CookieContent {
  readonly sessionId: string;
  readonly expiresAt: Instant;
  /** When the cookie was sent; absent in cookies of earlier versions. A cookie is sent again while the session is used. */
  readonly seenAt?: Instant | undefined;
}

const NAME = 'dashboard_session';
const Content: z.ZodType<CookieContent> = z.object({
  sessionId: z.uuid(),
  expiresAt: instantSchema(z),
  seenAt: instantSchema(z).optional(),
});

export interface SessionCookie {
  /** @returns undefined without a cookie that is authentic and not expired */
  read(ctx: AnyContext): CookieContent | undefined;
  write(ctx: AnyContext, content: Omit<CookieContent, 'seenAt'>): void;
  clear(ctx: AnyContext): void;
}

export interface SessionCookieOptions {
  readonly vault: Vault;
  readonly now: () => Instant;
  readonly isHttps: (request: IncomingMessage) => boolean;
}

/** The cookie `dashboard_session` (docs/decisions/0040-dashboard-sessions.md). */
export function createSessionCookie({ vault, now, isHttps }: SessionCookieOptions): SessionCookie {
  const token = createEncryptedToken(vault, 'session cookie', Content);
  const send = (ctx: AnyContext, value: string, seconds: number) => {
    const secure = isHttps(ctx.req) ? '; Secure' : '';
    ctx.append('set-cookie', `${NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
  };
  return {
    read(ctx) {
      const content = token.read(ctx.cookies.get(NAME) ?? '');
      return content && now() < content.expiresAt ? content : undefined;
    },
    // Max-Age is always the full 12 h, even for a session that continues under a new id; `content.expiresAt` is binding.
    write: (ctx, content) => send(ctx, token.write({ ...content, seenAt: now() }), SESSION_SECONDS),
    clear: (ctx) => send(ctx, '', 0),
  };
}

export const SESSION_SECONDS = 43_200;
/** The expiry of a session that starts now. */
export const sessionExpiry = (now: Instant): Instant => instant(now + SESSION_SECONDS * 1_000);
