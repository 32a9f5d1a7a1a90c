import type { Cause } from '../../state/commands/commandHandler.ts';

/** What happens to a sign-in by itself: nobody of ours asked for it. */
export const linkCause = (reason: string, linkId: string): Cause => ({
  actor: { kind: 'system', reason },
  correlationId: linkId,
});
