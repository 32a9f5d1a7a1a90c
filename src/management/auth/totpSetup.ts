import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { instantSchema } from '../../domain/core/schemas.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import type { Session } from '../../domain/session/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import { digestOfRecoveryCode, newRecoveryCodes } from '../people/secrets.ts';
import type { CheckCredential } from './credentialCheck.ts';
import { createEncryptedToken } from './encryptedToken.ts';
import { newTotpSecret, qrCodeOf, stepOf } from './totp.ts';
import { totpKeyOf } from './totpKeys.ts';
import type { VerifiedTotp } from './totpVerification.ts';

/** The content of a set-up token. */
interface PendingSetup {
  readonly setupId: string;
  readonly sessionId: string;
  readonly secret: string;
  readonly expiresAt: Instant;
}

const PendingSetup: z.ZodType<PendingSetup> = z.object({
  setupId: z.uuid(),
  sessionId: z.uuid(),
  secret: z.string(),
  expiresAt: instantSchema(z),
});

const LIFETIME_MS = 10 * 60_000;

/** TOTP that was set up. Operators get recovery codes with it; the built-in administrator has the command line. */
export interface ConfirmedTotp extends VerifiedTotp {
  readonly recoveryCodes: readonly string[] | undefined;
}

type TotpSetupOptions = Pick<Capabilities, 'views' | 'commands' | 'vault' | 'ids' | 'now'>;

/** Sets up TOTP in two steps. Until a code confirms the secret, only the client stores it, in an encrypted token. */
export function createTotpSetup(options: TotpSetupOptions, checkCredential: CheckCredential) {
  const { views, commands, vault, ids, now } = options;
  const token = createEncryptedToken(vault, 'TOTP setup token', PendingSetup);
  /** Set-ups that were confirmed, until their tokens expire: each token works once. */
  const confirmed = new Map<string, Instant>();

  function readSetupToken(setupToken: string, session: Session): PendingSetup {
    for (const [setupId, expiresAt] of confirmed) if (expiresAt <= now()) confirmed.delete(setupId);
    const setup = token.read(setupToken);
    if (setup?.sessionId === session.id && now() < setup.expiresAt && !confirmed.has(setup.setupId)) return setup;
    const problem = 'is invalid or has expired; start again with totp/setup/start';
    return refuse('validation_error', { param: 'setupToken', problem });
  }

  const requireNoTotp = ({ operatorId }: Session): void => {
    if (credentialsOf(operatorId, views.current)?.totp) refuse('totp_already_configured');
  };

  return {
    /** @throws Refusal `totp_already_configured` */
    async start(session: Session) {
      requireNoTotp(session);
      const secret = newTotpSecret();
      const expiresAt = instant(now() + LIFETIME_MS);
      const setupToken = token.write({ setupId: ids.newId(), sessionId: session.id, secret, expiresAt });
      return { secret, qrCodeDataUrl: await qrCodeOf(secret), setupToken };
    },

    /** @throws Refusal `totp_already_configured` | `validation_error` | `totp_invalid_code` | `rate_limit_exceeded` */
    async confirm(
      ctx: ManagementContext,
      session: Session,
      body: { setupToken: string; code: string },
    ): Promise<ConfirmedTotp> {
      requireNoTotp(session);
      const { setupId, secret, expiresAt } = readSetupToken(body.setupToken, session);
      const step = await checkCredential(ctx, {
        credential: 'first TOTP code',
        method: 'totp',
        verify: () => stepOf(body.code, secret, now()),
        refusal: ['totp_invalid_code'],
      });
      const totpId = ids.newId();
      const sealed = vault.seal(await vault.createKey(totpKeyOf(totpId)), secret);
      const { operatorId } = session;
      let recoveryCodes: string[] | undefined;
      if (operatorId === BUILT_IN_ADMINISTRATOR) {
        const command = { type: 'ConfigureTotp', totpId, secret: sealed, step } as const;
        await commands.handle(subjects.dashboardAuth, 'main', command, ctx.state.cause);
      } else {
        recoveryCodes = newRecoveryCodes();
        const digests = recoveryCodes.map((code) => digestOfRecoveryCode(vault, code));
        const totp = { totpId, secret: sealed, step, recoveryCodes: digests };
        const command = { type: 'ConfigureTotp', operatorId, ...totp } as const;
        await commands.handle(subjects.operator, 'main', command, ctx.state.cause);
      }
      confirmed.set(setupId, expiresAt);
      return { totpId, step, recoveryCodes };
    },
  };
}
