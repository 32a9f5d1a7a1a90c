import { z } from 'zod';
import { wireObject } from '../../http/body.ts';

const MAX_NAME_LENGTH = 64;
/** W3C WebAuthn limits credential ids to 1,023 bytes. */
const MAX_ID_LENGTH = 1_364;
/** Ten times what the largest authenticators send. */
const MAX_PART_LENGTH = 32_768;
const MAX_TOKEN_LENGTH = 1_024;
const MAX_TRANSPORTS = 16;

const base64url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[\w-]+$/, 'must be base64url without padding');
const credentialId = base64url(MAX_ID_LENGTH);
const part = base64url(MAX_PART_LENGTH);

// What browsers send, whose fields grow with WebAuthn: those that are not used here are ignored.
const credential = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({ id: credentialId, rawId: credentialId, type: z.literal('public-key'), response: z.object(response) });

/** `RegistrationResponseJSON` of WebAuthn. */
const NewCredential = credential({
  clientDataJSON: part,
  attestationObject: part,
  transports: z.array(z.string()).max(MAX_TRANSPORTS).optional(),
}).meta({ id: 'NewPasskeyCredential' });
export type NewCredential = z.infer<typeof NewCredential>;

/** `AuthenticationResponseJSON` of WebAuthn. */
const Assertion = credential({
  clientDataJSON: part,
  authenticatorData: part,
  signature: part,
  userHandle: z.string().max(MAX_ID_LENGTH).nullish(),
}).meta({ id: 'PasskeyAssertion' });
export type Assertion = z.infer<typeof Assertion>;

const challengeToken = z.string().max(MAX_TOKEN_LENGTH).describe('As the start of this ceremony returned it');
const passkeyName = z
  .string()
  .trim()
  .refine((text) => text.isWellFormed() && !/[\p{Cc}\p{Cf}]/u.test(text), 'must have no control characters')
  .refine((text) => text.length > 0 && text.length <= MAX_NAME_LENGTH, `must have 1 to ${MAX_NAME_LENGTH} characters`)
  .describe('For example "Work laptop"');

export const RegisterPasskey = wireObject({ challengeToken, credential: NewCredential, name: passkeyName });
export type RegisterPasskey = z.infer<typeof RegisterPasskey>;
export const AnswerChallenge = wireObject({ challengeToken, credential: Assertion });
export type AnswerChallenge = z.infer<typeof AnswerChallenge>;
export const SignInWithPasskey = wireObject({
  challengeToken,
  credential: Assertion,
  login: z
    .string()
    .min(1)
    .max(MAX_TOKEN_LENGTH)
    .nullish()
    .describe('Name or e-mail address; the passkey must be theirs'),
});
export const RenamePasskey = wireObject({ name: passkeyName });

const descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

/** What `navigator.credentials.create` is called with, as JSON. */
export const RegistrationStart = z
  .object({
    challengeToken: z.string(),
    publicKey: z
      .object({
        rp: z.object({ id: z.string(), name: z.string() }),
        user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
        challenge: z.string(),
        pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
        timeout: z.int(),
        excludeCredentials: z.array(descriptor),
        authenticatorSelection: z.object({
          residentKey: z.literal('required'),
          requireResidentKey: z.literal(true),
          userVerification: z.literal('required'),
        }),
        attestation: z.literal('none'),
      })
      .describe('For PublicKeyCredential.parseCreationOptionsFromJSON'),
  })
  .meta({ id: 'PasskeyRegistrationStart' });

/** What `navigator.credentials.get` is called with, as JSON. */
export const AssertionStart = z
  .object({
    challengeToken: z.string(),
    publicKey: z
      .object({
        rpId: z.string(),
        challenge: z.string(),
        timeout: z.int(),
        userVerification: z.literal('required'),
        allowCredentials: z.array(descriptor).optional(),
      })
      .describe('For PublicKeyCredential.parseRequestOptionsFromJSON'),
  })
  .meta({ id: 'PasskeyAssertionStart' });

export const Passkey = z
  .object({
    id: z.string(),
    name: z.string().nullable().describe('null once the person was forgotten'),
    addedAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
    counterRegressedAt: z.iso
      .datetime()
      .nullable()
      .describe('When a use was last refused because the counter went back: a copy of the passkey may exist'),
  })
  .meta({ id: 'Passkey' });
