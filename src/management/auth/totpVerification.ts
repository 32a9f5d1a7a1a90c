import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { Refusal, refuse } from '../../domain/core/refusal.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
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
 * Checks a TOTP code of the built-in administrator or an operator.
 * @param use records that the code was used; when it refuses with `totp_invalid_code`, the code was used before
 */
export type VerifyTotp = <Result>(
  ctx: ManagementContext,
  operatorId: string,
  code: string,
  use: (totp: VerifiedTotp) => Promise<Result>,
) => Promise<Result>;

/** Accepted codes whose events may not be folded yet; the oldest ones are folded long since. */
const MAX_ACCEPTED = 1_000;

/**
 * Creates the check of TOTP codes.
 * @throws Refusal `totp_not_configured` | `totp_invalid_code` | `rate_limit_exceeded`
 */
export function createTotpVerification(
  { views, vault, now }: Pick<Capabilities, 'views' | 'vault' | 'now'>,
  checkCredential: CheckCredential,
): VerifyTotp {
  /** The step of the last accepted code by the id of the TOTP. */
  const accepted = new Map<string, number>();

  const verify = (operatorId: string, code: string): VerifiedTotp | undefined => {
    const totp = credentialsOf(operatorId, views.current)?.totp;
    if (!totp) return refuse('totp_not_configured');
    const step = stepOf(code, vault.open(totp.secret), now());
    const lastStep = Math.max(accepted.get(totp.id) ?? 0, totp.lastStep);
    // Each code works once, and none works after a later one (RFC 6238 section 5.2).
    if (step === undefined || step <= lastStep) return undefined;
    if (accepted.size >= MAX_ACCEPTED) accepted.delete(accepted.keys().next().value as string);
    accepted.set(totp.id, step);
    return { totpId: totp.id, step };
  };

  return async (ctx, operatorId, code, use) => {
    if (!credentialsOf(operatorId, views.current)?.totp) refuse('totp_not_configured');
    const { result } = await checkCredential(ctx, {
      credential: 'TOTP code',
      method: 'totp',
      async verify() {
        const totp = verify(operatorId, code);
        if (!totp) return undefined;
        try {
          return { result: await use(totp) };
        } catch (error) {
          if (error instanceof Refusal && error.code === 'totp_invalid_code') return undefined;
          throw error;
        }
      },
      refusal: ['totp_invalid_code'],
      ...(operatorId !== BUILT_IN_ADMINISTRATOR && { account: operatorId, operatorId }),
    });
    return result;
  };
}
