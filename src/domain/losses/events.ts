import { type EventOf, event } from '../core/event.ts';
import { schema } from '../core/schema.ts';
import { accountIdSchema, instantSchema, positionSchema } from '../core/schemas.ts';

/** A place in a log: the last event up to there, if it is known. */
const logEnd = schema((z) =>
  z.object({
    /** Position of the last event; 0 for an empty log. */
    position: positionSchema(z),
    /** Its hash, 64 hex digits; null for an empty log, and where only the position is known. */
    hash: z.string().nullable(),
    time: instantSchema(z).nullable(),
  }),
);

/**
 * An operator accepted that events are missing (`svc accept-loss`). Gaps before this event are not reported again. Positions
 * after `found` may have been given to other events before.
 */
export const LossAccepted = event('LossAccepted', {
  version: 1,
  data: (z) =>
    z.object({
      /** What lacks events: the event log, or the outbox of a node. */
      of: z.enum(['log', 'outbox']),
      /** How far it was known to reach. */
      known: logEnd(z),
      /** How far it reached when the loss was accepted; of a copy with other events than the original, up to where both are the same. */
      found: logEnd(z),
      /** Number of lost events; null when it cannot be determined. */
      lost: z.int().min(0).nullable(),
    }),
  describe: ({ of, known, found, lost }) =>
    `${lost === null ? 'missing' : `${lost} missing`} events of ${of === 'log' ? 'the event log' : 'the outbox'} were ` +
    `accepted as lost: it was known up to position ${known.position} and ended at ${found.position}`,
});

/**
 * An operator accepted that the vault lost the keys of accounts (`svc accept-loss --vault`): what is sealed under them can
 * never be read again. The accounts have no tokens until they sign in again.
 */
export const VaultLossAccepted = event('VaultLossAccepted', {
  version: 1,
  data: (z) =>
    z.object({
      /** Whether a new vault was begun: then also digests, and ids of accounts made from them, differ from earlier ones. */
      isNewVault: z.boolean(),
      /** What is larger than an event may be is recorded in several events of one append. */
      accountIds: z.array(accountIdSchema(z)),
    }),
  describe: ({ isNewVault, accountIds }) =>
    `the keys of ${accountIds.length} ${accountIds.length === 1 ? 'account' : 'accounts'} were accepted as lost` +
    `${isNewVault ? ', with the vault' : ''}: ${accountIds.length === 1 ? 'it' : 'they'} must sign in again`,
});

/**
 * An operator accepted that the key was lost which signed the checkpoints of the log (`svc accept-loss --checkpoint-key`): it cannot
 * sign that another one follows. Checkpoints go on under a new origin, with a key that no earlier key has signed.
 */
export const CheckpointKeyLossAccepted = event('CheckpointKeyLossAccepted', {
  version: 1,
  data: (z) =>
    z.object({
      /** The public key that was lost, 64 hex digits; empty where it is not known. */
      publicKey: z.string(),
      /** The last checkpoint that it signed. */
      checkpoint: z.object({
        origin: z.string(),
        size: z.int().min(0),
        /** 64 hex digits. */
        root: z.string(),
      }),
    }),
  describe: ({ checkpoint: { origin, size } }) =>
    `the key of the checkpoints of ${origin} was accepted as lost after the checkpoint of ${size} events: a new origin begins`,
});

export type LossAcceptedEvent = EventOf<
  typeof LossAccepted | typeof VaultLossAccepted | typeof CheckpointKeyLossAccepted
>;

/** The stream of accepted losses. */
export const LOSSES_STREAM = 'losses-main';
