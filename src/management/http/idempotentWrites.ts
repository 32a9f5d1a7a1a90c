import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { RepeatableWrite } from '../../state/commands/commandHandler.ts';
import type { Vault } from '../../vault/vault.ts';
import { isWrite, type ManagementMiddleware } from './context.ts';

/**
 * Executes a write with an `Idempotency-Key` once, however often it is sent. The ids of its events and of the resource
 * that it creates derive from the key, so a repeat is found in the log, even after a restart
 * (docs/decisions/0054-idempotent-writes.md). Sign-ins are excluded: each creates a new session, and the log must not
 * contain anything that derives from a password. A key belongs to the person, or the token, that sent it: the same key of another one
 * is another write, and reveals nothing of the first.
 * @throws Refusal `validation_error` for a malformed key
 */
export const idempotentWrites =
  ({ vault }: { readonly vault: Vault }): ManagementMiddleware =>
  (ctx, next) => {
    const key = ctx.get('idempotency-key');
    if (key === '' || !isWrite(ctx) || ctx.path.startsWith('/api/dashboard-auth/')) return next();
    ctx.state.readIdempotencyKey = () => {
      if (!VISIBLE_ASCII.test(key)) {
        refuse('validation_error', {
          param: 'Idempotency-Key',
          problem: 'must have 1 to 255 visible ASCII characters',
        });
      }
      ctx.state.cause = { ...ctx.state.cause, write: repeatableWrite(key, ctx, vault) };
    };
    return next();
  };

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

function repeatableWrite(key: string, ctx: Parameters<ManagementMiddleware>[0], vault: Vault): RepeatableWrite {
  const sender = senderOf(ctx);
  // An HMAC, so that the log reveals neither the key nor the body.
  const derivedId = (...parts: readonly unknown[]) =>
    uuidFrom(vault.digest('idempotency', JSON.stringify([key, ...sender, ...parts])));
  return {
    eventId: (index) => derivedId('event', index),
    resourceId: derivedId('resource'),
    // Called when the command runs; the body has been read by then.
    commandId: () =>
      derivedId('command', ctx.method, ctx.path, ctx.querystring, (ctx.request as { body?: unknown }).body),
  };
}

/** Nothing for sessions of the built-in administrator: writes of before there were operators are still found. */
function senderOf({ state: { principal } }: Parameters<ManagementMiddleware>[0]): readonly object[] {
  const { operatorId = BUILT_IN_ADMINISTRATOR, tokenId } = principal ?? {};
  return operatorId === BUILT_IN_ADMINISTRATOR && tokenId === undefined ? [] : [{ operatorId, tokenId }];
}

/** A UUID of version 8 (RFC 9562 section 5.8) with every other bit from the digest. */
function uuidFrom(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
