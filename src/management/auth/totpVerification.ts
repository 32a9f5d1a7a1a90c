import { refuse } from '../../domain/core/refusal.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ManagementContext } from '../http/context.ts';
import type { CheckCredential } from './credentialCheck.ts';
import { stepOf } from './totp.ts';

/** The TOTP configuration that was verified, and the time step of the code. */
export interface VerifiedTotp {
  readonly totpId: string;
  readonly step: number;
}

/**
 * Creates the check of TOTP codes at sign-in.
 * @throws Refusal `totp_not_configured` | `totp_invalid_code` | `rate_limit_exceeded`
 */
export function createTotpVerification(
  { views, vault, now }: Pick<Capabilities, 'views' | 'vault' | 'now'>,
  checkCredential: CheckCredential,
): (ctx: ManagementContext, code: string) => Promise<VerifiedTotp> {
  /** The last accepted code; its event may not be folded yet. */
  let accepted: VerifiedTotp | undefined;

  const verify = (code: string): VerifiedTotp | undefined => {
    const { totp } = views.current.dashboardAuth;
    if (!totp) return refuse('totp_not_configured');
    const step = stepOf(code, vault.open(totp.secret), now());
    const lastStep = accepted?.totpId === totp.id ? Math.max(accepted.step, totp.lastStep) : totp.lastStep;
    // Each code works once, and none works after a later one (RFC 6238 section 5.2).
    if (step === undefined || step <= lastStep) return undefined;
    accepted = { totpId: totp.id, step };
    return accepted;
  };

  return async (ctx, code) => {
    if (!views.current.dashboardAuth.totp) refuse('totp_not_configured');
    return checkCredential(ctx, {
      credential: 'TOTP code',
      method: 'totp',
      verify: () => verify(code),
      refusal: ['totp_invalid_code'],
    });
  };
}
