import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Instant } from '../../domain/core/brands.ts';

// RFC 6238 as every authenticator app has it: SHA-1, 6 digits, 30 s.
const PERIOD_SECONDS = 30;
const ALGORITHM = { algorithm: 'sha1', digits: 6, period: PERIOD_SECONDS } as const;

/** 20 random bytes in base32. */
export const newTotpSecret = (): string => generateSecret({ length: 20 });

/** The secret as authenticator apps read it: a QR code as a data URL of a PNG. */
export async function qrCodeOf(secret: string): Promise<string> {
  // Its sixty modules are for the few starts in which somebody sets up TOTP.
  const { default: qrCode } = await import('qrcode');
  return qrCode.toDataURL(generateURI({ issuer: 'svc', label: 'dashboard', secret, ...ALGORITHM }));
}

/**
 * Finds the step a code belongs to: the present one, the one before or the one after, for clocks differ.
 * @returns the number of the 30 s since 1970; undefined when the code is none of the three
 */
export function stepOf(code: string, secret: string, now: Instant): number | undefined {
  const result = verifySync({
    ...ALGORITHM,
    secret,
    token: code,
    epoch: Math.floor(now / 1_000),
    epochTolerance: PERIOD_SECONDS,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}
