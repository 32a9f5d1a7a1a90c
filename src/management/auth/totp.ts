import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Instant } from '../../domain/core/brands.ts';

// The parameters of RFC 6238 that every authenticator app supports: SHA-1, 6 digits, 30 s.
const PERIOD_SECONDS = 30;
const ALGORITHM = { algorithm: 'sha1', digits: 6, period: PERIOD_SECONDS } as const;

/** Generates 20 random bytes in base32. */
export const newTotpSecret = (): string => generateSecret({ length: 20 });

/** Renders a QR code of the secret for authenticator apps: a PNG as a data URL. */
export async function qrCodeOf(secret: string): Promise<string> {
  // Imported on demand: it loads sixty modules, and most processes never set up TOTP.
  const { default: qrCode } = await import('qrcode');
  return qrCode.toDataURL(generateURI({ issuer: 'svc', label: 'dashboard', secret, ...ALGORITHM }));
}

/**
 * Finds the time step of a code. Accepts the current step and its neighbours, since clocks differ.
 * @returns the number of 30 s periods since 1970; undefined for a wrong code
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
