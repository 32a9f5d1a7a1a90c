import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { instantSchema } from '../../domain/core/schemas.ts';
import { decrypt, encrypt } from '../../vault/sealing.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AnyContext } from '../http/context.ts';

/** The session that a cookie names, and when the cookie ends. Whether the session still holds, only the fold knows. */
export interface CookieContent {
  readonly sessionId: string;
  readonly expiresAt: Instant;
}

/** What clients carry, encrypted with AES-256-GCM under keys of this installation. */
export interface SignedTokens<Content> {
  write(content: Content): string;
  /** @returns undefined when the text is not ours, was changed, or is of another kind */
  read(text: string): Content | undefined;
}

/** @param purpose what the text is for: a text of one purpose is worth nothing for another */
export function createSignedTokens<Content>(
  vault: Vault,
  purpose: string,
  schema: z.ZodType<Content>,
): SignedTokens<Content> {
  const key = Buffer.from(vault.digest('dashboard', purpose), 'hex');
  return {
    write: (content) => encrypt(key, Buffer.from(JSON.stringify(content)), purpose).toString('base64url'),
    read(text) {
      try {
        return schema.parse(JSON.parse(decrypt(key, Buffer.from(text, 'base64url'), purpose).toString()));
      } catch {
        return undefined;
      }
    },
  };
}

const NAME = 'dashboard_session';
const Content: z.ZodType<CookieContent> = z.object({ sessionId: z.uuid(), expiresAt: instantSchema(z) });

export interface SessionCookie {
  read(ctx: AnyContext): string | undefined;
  write(ctx: AnyContext, content: CookieContent): void;
  clear(ctx: AnyContext): void;
}

export interface SessionCookieOptions {
  readonly vault: Vault;
  readonly now: () => Instant;
  readonly isHttps: (request: AnyContext['req']) => boolean;
}

/** The cookie `dashboard_session` (specification, "Dashboard / management" 1). */
export function createSessionCookie({ vault, now, isHttps }: SessionCookieOptions): SessionCookie {
  const tokens = createSignedTokens(vault, 'session cookie', Content);
  const send = (ctx: AnyContext, value: string, seconds: number) => {
    const secure = isHttps(ctx.req) ? '; Secure' : '';
    ctx.append('set-cookie', `${NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
  };
  return {
    read(ctx) {
      const content = tokens.read(ctx.cookies.get(NAME) ?? '');
      return content && now() < content.expiresAt ? content.sessionId : undefined;
    },
    // As the specification has it, also for a session that goes on: when that ends, its content says.
    write: (ctx, content) => send(ctx, tokens.write(content), SESSION_SECONDS),
    clear: (ctx) => send(ctx, '', 0),
  };
}

export const SESSION_SECONDS = 43_200;
export const sessionEnd = (now: Instant): Instant => instant(now + SESSION_SECONDS * 1_000);
