import { type EventOf, event } from '../core/event.ts';
import { type Infer, schema } from '../core/schema.ts';

const use = schema((z) =>
  z.object({
    operatorId: z.string(),
    passkeyId: z.uuid(),
    /** Of signatures, as the authenticator signed it. */
    counter: z.int().min(0),
  }),
);

/** What a passkey was used for. */
export const passkeyPurposeSchema = schema((z) => z.enum(['sign_in', 'reauthentication']));
export type PasskeyPurpose = Infer<typeof passkeyPurposeSchema>;

/** A signature was accepted. Its challenge is used up on all nodes. */
export const PasskeyUsed = event('PasskeyUsed', {
  version: 1,
  data: (z) =>
    use(z).extend({
      purpose: passkeyPurposeSchema(z),
      /** SHA-256 of the challenge, in hex. */
      challengeHash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  describe: ({ operatorId, purpose }) =>
    purpose === 'sign_in'
      ? `operator ${operatorId} signed in with a passkey`
      : `operator ${operatorId} proved with a passkey again who they are`,
});

/** A valid signature with a counter that was seen before: a second authenticator has the same key. */
export const PasskeyCounterRegressed = event('PasskeyCounterRegressed', {
  version: 1,
  data: (z) => use(z).extend({ lastCounter: z.int().min(0) }),
  describe: ({ operatorId, counter, lastCounter }) =>
    `a passkey of operator ${operatorId} was refused: its counter went back from ${lastCounter} to ${counter}, so a copy of it may exist`,
});

export type PasskeyUseEvent = EventOf<typeof PasskeyUsed | typeof PasskeyCounterRegressed>;
