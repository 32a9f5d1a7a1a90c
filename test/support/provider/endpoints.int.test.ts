import { expect, test } from 'vitest';
import { acceptableBody } from './client.ts';
import { usageLimitReached, usageWindow } from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

test.for([
  ['Stream must be set to true', { ...acceptableBody, stream: false }],
  ['Store must be set to false', { ...acceptableBody, store: undefined }],
  ['Unsupported parameter: max_output_tokens', { ...acceptableBody, max_output_tokens: 32000 }],
  ['Unsupported parameter: temperature', { ...acceptableBody, temperature: null }],
  ['Unsupported parameter: previous_response_id', { ...acceptableBody, previous_response_id: 'resp_1' }],
  ['Input must be a list', { ...acceptableBody, input: 'Say hi' }],
  ['System messages are not allowed', { ...acceptableBody, input: [{ role: 'system', content: 'Be brief' }] }],
  [
    "Item with id 'rs_1' not found. Items are not persisted when store is set to false.",
    { ...acceptableBody, input: [{ type: 'item_reference', id: 'rs_1' }] },
  ],
] as const)('rejects a body with: %s', async ([detail, body]) => {
  const response = await given.send({ body });
  expect([response.status, await response.json()]).toEqual([400, { detail }]);
});

test('responds to unknown paths with 404 in JSON', async () => {
  for (const path of ['/svc/responses', '/codex/nothing']) {
    const response = await given.send({ path });
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Not Found' }]);
  }
});

test('serves models, compaction and transcription, which can be scripted too', async () => {
  const { models } = (await (
    await given.send({ method: 'GET', path: '/codex/models?client_version=1.2.3' })
  ).json()) as { models: object[] };
  expect(models[0]).toMatchObject({
    slug: 'gpt-6.1-sol',
    truncation_policy: { mode: 'tokens' },
    experimental_supported_tools: [],
  });
  expect(given.account.received[0]?.query).toEqual({ client_version: '1.2.3' });

  const { model, input } = acceptableBody;
  const compact = { path: '/codex/responses/compact', body: { model, input } };
  expect(await (await given.send(compact)).json()).toMatchObject({ output: [{ type: 'compaction' }] });
  given.account.compact.next(usageLimitReached());
  expect((await given.send(compact)).status).toBe(429);

  const body = new FormData();
  body.set('file', new File(['RIFF'], 'audio.wav', { type: 'audio/wav' }));
  body.set('prompt', 'Names');
  expect(await (await given.send({ path: '/transcribe', body })).json()).toEqual({
    text: 'Hello from the simulated provider.',
  });
  expect(given.account.received.at(-1)?.form).toMatchObject({
    prompt: 'Names',
    file: { name: 'audio.wav', type: 'audio/wav', bytes: Buffer.from('RIFF') },
  });
  expect((await given.send({ path: '/transcribe', body: new FormData() })).status).toBe(400);
});

test('serves the scripted usage, also in the rate-limit headers', async () => {
  given.account.plan = 'pro';
  given.account.usage.primary = usageWindow({ usedPercent: 37.5, resetsInSeconds: 60 });
  const poll = () => given.send({ method: 'GET', path: '/wham/usage' });
  expect(await (await poll()).json()).toMatchObject({
    plan_type: 'pro',
    rate_limit: {
      allowed: true,
      primary_window: {
        used_percent: 37.5,
        limit_window_seconds: 18_000,
        reset_at: given.account.usage.primary?.resetAt,
      },
    },
    credits: { balance: '0' },
  });
  const { headers } = await given.send();
  expect(headers.get('x-codex-primary-used-percent')).toBe('37.5');
  expect(headers.get('x-codex-secondary-window-minutes')).toBe('10080');

  given.account.plan = 'free';
  given.account.usage.secondary = null;
  given.account.usage.primary = usageWindow({
    usedPercent: 140,
    resetsInSeconds: -60,
    omit: ['reset_at', 'reset_after_seconds'],
  });
  const changed = (await (await poll()).json()) as { rate_limit: object };
  expect(changed).toMatchObject({ plan_type: 'free', rate_limit: { limit_reached: true, secondary_window: null } });
  expect(changed.rate_limit).toHaveProperty('primary_window', { used_percent: 140, limit_window_seconds: 18_000 });

  for (const failure of [401, 402, 403, 404, 429, 500]) {
    given.account.usage.failure = failure;
    expect((await poll()).status).toBe(failure);
  }
});
