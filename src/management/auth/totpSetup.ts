import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { instantSchema } from '../../domain/core/schemas.ts';
import type { Session } from '../../domain/session/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Management } from '../app.ts';
import type { ManagementContext } from '../http/context.ts';
import type { Prove } from './credentialCheck.ts';
import { createSignedTokens } from './sessionCookie.ts';
import { newTotpSecret, qrCodeOf, stepOf } from './totp.ts';
import { totpKeyOf } from './totpKeys.ts';

interface Started {
  readonly setupId: string;
  readonly sessionId: string;
  readonly secret: string;
  readonly expiresAt: Instant;
}

const Started: z.ZodType<Started> = z.object({
  setupId: z.uuid(),
  sessionId: z.uuid(),
  secret: z.string(),
  expiresAt: instantSchema(z),
});

const LIFETIME_MS = 10 * 60_000;

/** Setting up TOTP in two steps. Until a code confirms it, only the client holds its secret. */
export function createTotpSetup(management: Management, prove: Prove) {
  const { hot, handle, vault, now, newId } = management;
  const tokens = createSignedTokens(vault, 'TOTP setup token', Started);
  /** Tokens that have set TOTP up, until they expire: each does so once. */
  const used = new Map<string, Instant>();

  function started(setupToken: string, session: Session): Started {
    for (const [setupId, expiresAt] of used) if (expiresAt <= now()) used.delete(setupId);
    const given = tokens.read(setupToken);
    if (given?.sessionId === session.id && now() < given.expiresAt && !used.has(given.setupId)) return given;
    const problem = 'is not valid, or no longer so; begin again with totp/setup/start';
    return refuse('validation_error', { param: 'setupToken', problem });
  }

  return {
    /** @throws Refusal `totp_already_configured` */
    async start(session: Session) {
      if (hot.state.dashboardAuth.totp) refuse('totp_already_configured');
      const secret = newTotpSecret();
      const expiresAt = instant(now() + LIFETIME_MS);
      const setupToken = tokens.write({ setupId: newId(), sessionId: session.id, secret, expiresAt });
      return { secret, qrCodeDataUrl: await qrCodeOf(secret), setupToken };
    },

    /** @throws Refusal `totp_already_configured` | `validation_error` | `totp_invalid_code` | `rate_limit_exceeded` */
    async confirm(ctx: ManagementContext, session: Session, given: { setupToken: string; code: string }) {
      if (hot.state.dashboardAuth.totp) refuse('totp_already_configured');
      const { setupId, secret, expiresAt } = started(given.setupToken, session);
      const step = await prove(ctx, {
        of: 'first TOTP code',
        method: 'totp',
        check: () => stepOf(given.code, secret, now()),
        otherwise: ['totp_invalid_code'],
      });
      const totpId = newId();
      const sealed = vault.seal(await vault.createKey(totpKeyOf(totpId)), secret);
      const command = { type: 'ConfigureTotp', totpId, secret: sealed, step } as const;
      await handle(subjects.dashboardAuth, 'main', command, ctx.state.cause);
      used.set(setupId, expiresAt);
    },
  };
}
