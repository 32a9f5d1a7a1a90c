import { expect, test, vi } from 'vitest';
import { expectSameAsReference, recall, svc } from './expectSameAsReference.support.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import type { RecallItem } from './recentItems.ts';
import { RequestCache } from './requestCache.ts';
import { codex, json, samples } from './sampleBodies.support.ts';

test('of a conversation that goes on only the new items are parsed', () => {
  const memory = new RequestCache();
  const input: unknown[] = [...codex.input];
  const parsed = vi.spyOn(JSON, 'parse');
  try {
    for (let turn = 0; turn < 20; turn++) {
      const added = { role: 'user', content: `Turn ${turn}` };
      input.push(added);
      parsed.mockClear();
      readResponsesRequest(json({ ...codex, input }), 'svc', svc.headers, recall, memory);
      if (turn === 0) continue;
      expect(parsed.mock.calls.map(([text]) => text)).toEqual([`[${JSON.stringify(added)}]`]);
    }
  } finally {
    parsed.mockRestore();
  }
});

test('an input longer than what is parsed at once is read as before', () => {
  const memory = new RequestCache();
  const input: unknown[] = [];
  for (let index = 0; index < 400; index++) {
    input.push({ role: index % 50 ? 'assistant' : 'system', content: `${index} `.repeat(150) });
    if (index % 40 === 39) expectSameAsReference(json({ model: 'm', input }, index % 3), memory, svc);
  }
  const raw = json({ model: 'm', input });
  for (const at of [70_000, 140_000, raw.length - 3]) expectSameAsReference(raw.subarray(0, at), memory, svc);
});

test('a request that was read before is not parsed at all', () => {
  const memory = new RequestCache();
  const headers = { 'session-id': 's' };
  for (const sample of Object.values(samples)) {
    readResponsesRequest(json(sample), 'v1', headers, recall, memory);
    const parsed = vi.spyOn(JSON, 'parse');
    readResponsesRequest(json(sample), 'v1', headers, recall, memory);
    // The number of max_output_tokens or temperature is read each time.
    expect(parsed.mock.calls.filter(([text]) => text.length > 8)).toEqual([]);
    parsed.mockRestore();
  }
});

test('a reference means what is known when it is sent, not when it was first read', () => {
  const memory = new RequestCache();
  const raw = json({
    model: 'm',
    input: [
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'rs_1' },
    ],
  });
  const sent = (recall: RecallItem) =>
    JSON.parse(Buffer.concat(readResponsesRequest(raw, 'v1', {}, recall, memory).upstreamBody).toString()).input.length;
  expect(sent(() => undefined)).toBe(1);
  expect(sent(() => ({ type: 'reasoning' }))).toBe(2);
  expect(sent(() => undefined)).toBe(1);
});

test('memory stays within its bounds however many prompts come', () => {
  const memory = new RequestCache(400_000);
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
      memory,
    );
    expect(memory.size).toBeLessThanOrEqual(400_000);
  }
  expect(memory.size).toBeGreaterThan(50_000);
});

test('a request may be changed after it was read without changing what is remembered', () => {
  const memory = new RequestCache();
  const raw = json(codex);
  readResponsesRequest(raw, 'v1', svc.headers, recall, memory);
  raw.fill(0x20, 10, 200);
  expectSameAsReference(raw, memory, svc);
  expectSameAsReference(json(codex), memory, svc);
});
