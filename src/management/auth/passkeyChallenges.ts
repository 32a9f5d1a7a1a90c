import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { instantSchema } from '../../domain/core/schemas.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { createEncryptedToken } from './encryptedToken.ts';

/** What a challenge is for; it is accepted for nothing else. */
export type ChallengeKind = 'sign_in' | 'reauthentication' | 'registration' | 'invitation';

export interface Challenge {
  readonly kind: ChallengeKind;
  /** The session or the hash of the invitation that it belongs to; null for a sign-in. */
  readonly boundTo: string | null;
  /** 32 random bytes in base64url. */
  readonly challenge: string;
  /** The id of the passkey that a registration makes, so that it is accepted once. */
  readonly passkeyId: string;
  readonly expiresAt: Instant;
}

const Challenge: z.ZodType<Challenge> = z.object({
  kind: z.enum(['sign_in', 'reauthentication', 'registration', 'invitation']),
  boundTo: z.string().nullable(),
  challenge: z.string(),
  passkeyId: z.uuid(),
  expiresAt: instantSchema(z),
});

export const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;

/** @returns the hash by which the log remembers that a challenge was used */
export const hashOfChallenge = ({ challenge }: Challenge): string => hash('sha256', challenge);

/**
 * Challenges for authenticators. The browser stores them in an encrypted token, so that any node can check them; that each is used once
 * is decided by the log.
 */
export interface Challenges {
  start(kind: ChallengeKind, boundTo: string | null): { readonly challenge: Challenge; readonly token: string };
  /** @throws Refusal `passkey_challenge_expired` */
  read(token: string, kind: ChallengeKind, boundTo: string | null): Challenge;
}

export function createChallenges({ vault, ids, now }: Pick<Capabilities, 'vault' | 'ids' | 'now'>): Challenges {
  const tokens = createEncryptedToken(vault, 'passkey challenge', Challenge);
  return {
    start(kind, boundTo) {
      const challenge: Challenge = {
        ...{ kind, boundTo, challenge: randomBytes(CHALLENGE_BYTES).toString('base64url') },
        ...{ passkeyId: ids.newId(), expiresAt: instant(now() + CHALLENGE_MS) },
      };
      return { challenge, token: tokens.write(challenge) };
    },
    read(token, kind, boundTo) {
      const challenge = tokens.read(token);
      const isValid = challenge?.kind === kind && challenge.boundTo === boundTo && now() < challenge.expiresAt;
      return isValid ? challenge : refuse('passkey_challenge_expired');
    },
  };
}
