import { expect, test, vi } from 'vitest';
import { expectSameAsReference, recall, svc } from './expectSameAsReference.support.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import type { RecallItem } from './recentItems.ts';
import { RequestCache } from './requestCache.ts';
import { codex, json, samples } from './sampleBodies.support.ts';

test('parses only the new items of a growing conversation', () => {
  const cache = new RequestCache();
  const input: unknown[] = [...codex.input];
  const parsed = vi.spyOn(JSON, 'parse');
  try {
    for (let turn = 0; turn < 20; turn++) {
      const added = { role: 'user', content: `Turn ${turn}` };
      input.push(added);
      parsed.mockClear();
      readResponsesRequest(json({ ...codex, input }), 'svc', svc.headers, recall, cache);
      if (turn === 0) continue;
      expect(parsed.mock.calls.map(([text]) => text)).toEqual([`[${JSON.stringify(added)}]`]);
    }
  } finally {
    parsed.mockRestore();
  }
});

test('reads an input longer than one batch like the reference', () => {
  const cache = new RequestCache();
  const input: unknown[] = [];
  for (let index = 0; index < 400; index++) {
    input.push({ role: index % 50 ? 'assistant' : 'system', content: `${index} `.repeat(150) });
    if (index % 40 === 39) expectSameAsReference(json({ model: 'm', input }, index % 3), cache, svc);
  }
  const raw = json({ model: 'm', input });
  for (const at of [70_000, 140_000, raw.length - 3]) expectSameAsReference(raw.subarray(0, at), cache, svc);
});

test('parses nothing of a repeated request', () => {
  const cache = new RequestCache();
  const headers = { 'session-id': 's' };
  for (const sample of Object.values(samples)) {
    readResponsesRequest(json(sample), 'v1', headers, recall, cache);
    const parsed = vi.spyOn(JSON, 'parse');
    readResponsesRequest(json(sample), 'v1', headers, recall, cache);
    // Short scalars such as max_output_tokens are always parsed.
    expect(parsed.mock.calls.filter(([text]) => text.length > 8)).toEqual([]);
    parsed.mockRestore();
  }
});

test('resolves a reference each time it is sent, not once when it is cached', () => {
  const cache = new RequestCache();
  const raw = json({
    model: 'm',
    input: [
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'rs_1' },
    ],
  });
  const sent = (recall: RecallItem) =>
    JSON.parse(Buffer.concat(readResponsesRequest(raw, 'v1', {}, recall, cache).upstreamBody).toString()).input.length;
  expect(sent(() => undefined)).toBe(1);
  expect(sent(() => ({ type: 'reasoning' }))).toBe(2);
  expect(sent(() => undefined)).toBe(1);
});

test('stays within its memory limit however many prompts arrive', () => {
  const cache = new RequestCache(400_000);
  for (let index = 0; index < 500; index++) {
    const text = `${index} `.repeat(1_000);
    const input = index % 2 ? text : [{ role: 'system', content: text }];
    const tools = [{ type: 'function', description: text }];
    readResponsesRequest(
      json({
        model: 'm',
        input,
        tools,
        instructions: text,
        client_metadata: { text },
        stream: true,
        store: false,
        index,
      }),
      'v1',
      { 'session-id': `s${index % 40}` },
      recall,
      cache,
    );
    expect(cache.size).toBeLessThanOrEqual(400_000);
  }
  expect(cache.size).toBeGreaterThan(50_000);
});

test('keeps copies that a later change of the request does not affect', () => {
  const cache = new RequestCache();
  const raw = json(codex);
  readResponsesRequest(raw, 'v1', svc.headers, recall, cache);
  raw.fill(0x20, 10, 200);
  expectSameAsReference(raw, cache, svc);
  expectSameAsReference(json(codex), cache, svc);
});
