import { describe, expect, test } from 'vitest';
import { instant } from '../../domain/core/brands.ts';
import { type Failure, readProviderError } from '../providerResponse/failure.ts';
import { type Classification, classify } from './classify.ts';

const NOW = instant(1_800_000_000_000);
const status = (code: number, body: unknown = {}, retryAfterSeconds?: number): Failure => ({
  kind: 'status',
  status: code,
  error: readProviderError(typeof body === 'string' ? body : JSON.stringify(body)),
  retryAfterSeconds,
});
const failureEvent = (error: object): Failure => ({
  kind: 'failureEvent',
  error: readProviderError(JSON.stringify({ error })),
});
const limit = { type: 'usage_limit_reached', message: 'no', resets_in_seconds: 90 };

type Case = [name: string, failure: Failure, expected: Partial<Classification>];

test.each<Case>([
  [
    'an unreachable provider',
    { kind: 'unreachable', message: '' },
    { outcome: 'unreachable', owner: 'provider', effect: 'cool' },
  ],
  [
    'no file descriptor for a connection',
    { kind: 'outOfDescriptors', errno: 'EMFILE' },
    { outcome: 'out_of_descriptors', owner: 'service', effect: 'none' },
  ],
  [
    'a response that is not an event stream',
    { kind: 'notAStream' },
    { outcome: 'not_a_stream', owner: 'provider', effect: 'cool' },
  ],
  ['a response that is not JSON', { kind: 'notJson' }, { outcome: 'not_json', owner: 'provider', effect: 'cool' }],
  [
    'a proxy that opens no connection',
    { kind: 'proxyFailed', code: 'proxy_refused', problem: '' },
    { outcome: 'proxy_failed', owner: 'proxy', effect: 'none', code: 'proxy_refused' },
  ],
  [
    'a stream that is cut on its way through a proxy',
    { kind: 'cut', message: '', isProxied: true },
    { outcome: 'proxy_cut', owner: 'proxy', effect: 'none', code: 'stream_incomplete' },
  ],
  ['a cut stream', { kind: 'cut', message: '' }, { outcome: 'cut', effect: 'cool', code: 'stream_incomplete' }],
  ['a silent stream', { kind: 'idle' }, { outcome: 'idle', effect: 'cool', code: 'stream_idle_timeout' }],
  ['an event that is too large', { kind: 'eventTooLarge' }, { outcome: 'event_too_large', effect: 'none' }],
  [
    'a permanent token failure',
    { kind: 'refreshFailed', isPermanent: true },
    { outcome: 'tokens_unavailable', effect: 'none' },
  ],
  [
    'a temporary token failure',
    { kind: 'refreshFailed', isPermanent: false },
    { outcome: 'tokens_unavailable', effect: 'cool' },
  ],
  ['tokens of another region', { kind: 'otherRegion' }, { outcome: 'other_region', owner: 'account', effect: 'none' }],
  [
    '429 with a usage limit',
    status(429, { error: limit }),
    { outcome: 'usage_limit', effect: 'limit', limitedUntil: instant(NOW + 90_000) },
  ],
  ['429 without a code', status(429, { error: { message: 'slow down' } }), { outcome: 'throttled', effect: 'cool' }],
  ['429 with only a detail', status(429, { detail: 'slow down' }), { outcome: 'throttled', owner: 'account' }],
  ['429 with Retry-After', status(429, 'oops', 7), { outcome: 'throttled', coolForMs: 7_000 }],
  [
    '429 with a rate limit code without a reset time',
    status(429, { error: { code: 'rate_limit_exceeded' } }),
    { outcome: 'throttled' },
  ],
  [
    '429 with a quota code',
    status(429, { error: { code: 'insufficient_quota' } }),
    { outcome: 'usage_limit', limitedUntil: instant(NOW + 3_600_000) },
  ],
  [
    'a reset time more than a year away is ignored',
    status(429, { error: { type: 'usage_limit_reached', resets_at: NOW / 1_000 + 40_000_000 } }),
    { outcome: 'throttled' },
  ],
  [
    'a reset time in the past is ignored',
    status(429, { error: { type: 'usage_limit_reached', resets_at: 5 } }),
    { outcome: 'throttled' },
  ],
  ['401', status(401, { error: { code: 'invalid_token' } }), { outcome: 'unauthorized', effect: 'refresh' }],
  [
    'a deactivated account',
    status(403, { error: { code: 'account_deactivated' } }),
    { outcome: 'account_gone', effect: 'deactivate' },
  ],
  ['402', status(402), { outcome: 'account_refused', owner: 'account', effect: 'cool' }],
  ['403', status(403, '<html>'), { outcome: 'account_refused', effect: 'cool' }],
  ...[400, 404, 413, 422, 501].map(
    (code): Case => [
      `${code} is about the request`,
      status(code, { detail: 'no' }),
      { outcome: 'request_refused', owner: 'client', effect: 'none' },
    ],
  ),
  ...[500, 502, 503, 529, 302].map(
    (code): Case => [
      `${code} is a failure of the provider`,
      status(code, '<html>'),
      { outcome: 'provider_error', owner: 'provider', effect: 'cool' },
    ],
  ),
  [
    'a first event with a quota code',
    failureEvent({ code: 'insufficient_quota' }),
    { outcome: 'usage_limit', effect: 'limit' },
  ],
  ['a first event with a rate limit code', failureEvent({ code: 'rate_limit_exceeded' }), { outcome: 'throttled' }],
  [
    'a first event about the request',
    failureEvent({ code: 'context_length_exceeded' }),
    { outcome: 'request_refused', owner: 'client' },
  ],
  [
    'a first event with another code',
    failureEvent({ code: 'server_error' }),
    { outcome: 'provider_error', effect: 'cool' },
  ],
])('%s', (_name, failure, expected) => {
  expect(classify(failure, NOW)).toMatchObject(expected);
});

describe('an error body', () => {
  test.each([
    ['{"error":{"message":"m","type":"T","code":"C"}}', { message: 'm', type: 'T', code: 'c' }],
    [
      '{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":5}}',
      { code: 'usage_limit_reached', planType: 'plus', resetsAt: 5 },
    ],
    ['{"detail":"d"}', { message: 'd', code: undefined }],
    ['{"message":"m","code":"x"}', { message: 'm', code: 'x' }],
    ['{"error":"just text"}', { message: 'just text' }],
    ['<html>secret page</html>', { message: undefined, code: undefined }],
    ['', { message: undefined }],
    ['null', { message: undefined }],
    ['[1]', { message: undefined }],
  ])('%s', (body, expected) => expect(readProviderError(body)).toMatchObject(expected));
});
