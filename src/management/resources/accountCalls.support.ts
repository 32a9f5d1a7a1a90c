import { expect } from 'vitest';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import type { Stage } from '../../../test/support/management.ts';

/** Imports an auth file. @returns the body of the response */
export async function importAccount({ call }: Stage, file: unknown = authFile(), query = '') {
  const { status, body, text } = await call('POST', `/api/accounts/import${query}`, upload(file));
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** The accounts in the response of `GET /api/accounts`. */
export const listAccounts = async ({ call }: Stage) => (await call('GET', '/api/accounts')).body.accounts;
