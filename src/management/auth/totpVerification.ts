import { refuse } from '../../domain/core/refusal.ts';
import type { Management } from '../app.ts';
import type { ManagementContext } from '../http/context.ts';
import type { Prove } from './credentialCheck.ts';
import { stepOf } from './totp.ts';

/** Which TOTP was verified, by the code of which step. */
export interface VerifiedTotp {
  readonly totpId: string;
  readonly step: number;
}

/** @throws Refusal `totp_not_configured` | `totp_invalid_code` | `rate_limit_exceeded` */
export function createTotpVerification(
  { hot, vault, now }: Pick<Management, 'hot' | 'vault' | 'now'>,
  prove: Prove,
): (ctx: ManagementContext, code: string) => Promise<VerifiedTotp> {
  // Accepted, and not yet in the fold.
  let claimed: VerifiedTotp | undefined;

  const check = (code: string): VerifiedTotp | undefined => {
    const { totp } = hot.state.dashboardAuth;
    if (!totp) return refuse('totp_not_configured');
    const step = stepOf(code, vault.open(totp.secret), now());
    const last = claimed?.totpId === totp.id ? Math.max(claimed.step, totp.lastStep) : totp.lastStep;
    // A code that was accepted is used up, and so are those before it (RFC 6238 section 5.2).
    if (step === undefined || step <= last) return undefined;
    claimed = { totpId: totp.id, step };
    return claimed;
  };

  return async (ctx, code) => {
    if (!hot.state.dashboardAuth.totp) refuse('totp_not_configured');
    return prove(ctx, { of: 'TOTP code', method: 'totp', check: () => check(code), otherwise: ['totp_invalid_code'] });
  };
}
