import { expect, test } from 'vitest';
import { newRequestId } from './requestId.ts';

test('returns unique ids of 128 bits in hex', () => {
  const ids = Array.from({ length: 1_000 }, newRequestId);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(1_000);
});
