import { randomUUID } from 'node:crypto';
import type { SimulatedAccount } from './account.ts';
import type { ReceivedRequest } from './received.ts';
import type { ScriptContext } from './responseScript.ts';

const UNKNOWN_ACCOUNT = { id: 'unknown', email: '', plan: 'unknown' };

export const contextOf = (
  request: ReceivedRequest,
  account: SimulatedAccount | undefined,
  now: number,
): ScriptContext => ({
  id: `resp_${randomUUID().replaceAll('-', '')}`,
  json: (request.json ?? {}) as Record<string, unknown>,
  bytes: request.decodedBody?.length ?? 0,
  account: account ?? UNKNOWN_ACCOUNT,
  now,
});
