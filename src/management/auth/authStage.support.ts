import { expect } from 'vitest';
import { addressOf, type Browser, codeAt } from '../../../test/support/browser.ts';
import type { ReceivedResponse } from '../../../test/support/call.ts';
import { type Stage, startManagement } from '../../../test/support/management.ts';
import type { Instant } from '../../domain/core/brands.ts';

/** Starts management, which reads the client address from a header that `browser` sends. */
export const startStage = () => startManagement({ connection: { remoteAddress: addressOf } });
export const REMOTE = { address: '203.0.113.9' };

/** Status, and the code of the error or the body. */
export const statusAndResult = ({ status, body }: ReceivedResponse) => [status, body?.error?.code ?? body];
export const DONE = [200, { status: 'ok' }];
/** The response of `/session` after the password was verified. */
export const sessionState = (changes: object = {}) => ({
  isPasswordConfigured: true,
  isPasswordVerified: true,
  isTotpConfigured: false,
  isTotpVerified: false,
  isTotpRequiredOnLogin: false,
  ...changes,
});

export const advanceClock = (stage: Stage, ms: number) => {
  stage.clock.now = (stage.clock.now + ms) as Instant;
};

/** @param from the position of the first one */
export const allEvents = async ({ log }: Stage, from = 0) => {
  const all: { type: string; data: unknown; stream: string; metadata: { actor: unknown } }[] = [];
  for await (const event of log.readAll(from as never)) all.push(event);
  return all;
};

/** Verifies the session of a client with a current TOTP code. */
export async function verifyTotp({ hot, vault, clock }: Stage, client: Pick<Browser, 'post'>): Promise<void> {
  const code = codeAt(vault.open(hot.state.dashboardAuth.totp?.secret as never), clock.now);
  expect((await client.post('totp/verify', { code })).status).toBe(200);
}
