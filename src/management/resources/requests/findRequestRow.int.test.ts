import { expect, test } from 'vitest';
import { completed, refused, sharedManagement } from '../../../../test/support/management.ts';
import { instant } from '../../../domain/core/brands.ts';

const stage = sharedManagement();

test('explains a request whose id clients have put into 60 later messages', async () => {
  const requestId = `req_${'0123456789abcdef'.repeat(2)}`;
  const now = stage().clock.now;
  await stage().append(completed({ requestId, requestedAt: now }));
  const errorMessage = `This API key does not have access to model '${requestId}'`;
  const later = Array.from({ length: 60 }, (_, index) =>
    refused({ requestedAt: instant(now + index + 1), errorCode: 'model_not_allowed', errorMessage }),
  );
  await stage().append(...later);
  const { status, body } = await stage().call('GET', `/api/requests/${requestId}/explain`);
  expect([status, body.request_id]).toEqual([200, requestId]);
});

test('says of an unknown request that refusals beyond the first of a minute are only counted', async () => {
  const { status, body } = await stage().call('GET', '/api/requests/req_unknown/explain');
  expect([status, body.error.message]).toEqual([404, expect.stringContaining('only their number')]);
});
