import type { Cause } from '../../state/commands/commandHandler.ts';

/** The cause of a change to a link that no client requested. */
export const systemCause = (reason: string, linkId: string): Cause => ({
  actor: { kind: 'system', reason },
  correlationId: linkId,
});
