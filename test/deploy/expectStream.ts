import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { gatedResponse } from '../durability/support/gatedResponse.ts';
import type { Gateway } from '../support/gateway.ts';

/** Expects that a proxy in front of svc passes events on as they come. @param ask sends a request through it */
export async function expectStream({ pool }: Gateway, ask: () => Promise<IncomingMessage>): Promise<void> {
  const gate = gatedResponse();
  pool[0]?.at.next(gate.script);
  const response = await ask();
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    if (text.includes('response.output_text.delta')) gate.open();
  }
  // The gate opens only when a part was read through the proxy, so the end proves that nothing was kept back.
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(text).toContain('event: response.completed');
}
