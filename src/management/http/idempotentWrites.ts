import { refuse } from '../../domain/core/refusal.ts';
import type { RepeatableWrite } from '../../state/commands/commandHandler.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ManagementMiddleware } from './context.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A write with an `Idempotency-Key` is made once, however often it is sent: the ids of its events and of what it makes
 * derive from the key, so that the log itself knows the repeat, also after a restart. Signing in is left out: it makes
 * something new each time, and what stands for a password may not be kept.
 * @throws Refusal `validation_error` for a key that is none
 */
export const idempotentWrites =
  ({ vault }: { readonly vault: Vault }): ManagementMiddleware =>
  (ctx, next) => {
    const key = ctx.get('idempotency-key');
    if (key === '' || READS.has(ctx.method) || ctx.path.startsWith('/api/dashboard-auth/')) return next();
    if (!VISIBLE_ASCII.test(key)) {
      refuse('validation_error', { param: 'Idempotency-Key', problem: 'must have 1 to 255 visible ASCII characters' });
    }
    ctx.state.cause = { ...ctx.state.cause, write: writeUnder(key, ctx, vault) };
    return next();
  };

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

function writeUnder(key: string, ctx: Parameters<ManagementMiddleware>[0], vault: Vault): RepeatableWrite {
  // HMAC: what is kept in the log tells nobody what was sent.
  const derived = (...parts: readonly unknown[]) =>
    uuidOf(vault.digest('idempotency', JSON.stringify([key, ...parts])));
  return {
    eventId: (index) => derived('event', index),
    resourceId: derived('resource'),
    // The body has been read by the time a command is made of it.
    commandId: () =>
      derived('command', ctx.method, ctx.path, ctx.querystring, (ctx.request as { body?: unknown }).body),
  };
}

/** RFC 9562 section 5.8: version 8, everything else from the digest. */
function uuidOf(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
