import { expect, test } from 'vitest';
import { eventsIn } from './client.ts';
import { delayed, fragmented, streamSilent, textResponse, withVendorEvents } from './scripts.ts';
import { useProvider } from './useProvider.ts';

const given = useProvider();

test('stream-silent: one event, then nothing on an open connection', async () => {
  given.account.next(streamSilent({ events: 1 }));
  const client = new AbortController();
  const { body } = await given.send({ signal: client.signal });
  const first = await body?.getReader().read();
  expect(eventsIn(Buffer.from(first?.value ?? []).toString()).map(({ event }) => event)).toEqual(['response.created']);
  await (await given.send()).text();
  expect(given.account.received[0]).toMatchObject({ ended: false });
  client.abort();
});

const MULTI_BYTE = 'Grüße, 世界 👋🏽 — ça va?';

test('fragmented-bytes: splits characters across writes', async () => {
  const { chunks, reads } = await given.wireOf(
    fragmented(textResponse({ text: MULTI_BYTE }), { splitCharacters: true }),
  );
  const halves = (bytes: Buffer[], tail: number) => bytes.filter((piece) => (piece.at(-tail) ?? 0) >= 0xc0).length;
  expect(halves(chunks, 1)).toBeGreaterThanOrEqual(30);
  expect(halves(reads, '?\r\n'.length)).toBeGreaterThan(0); // the kernel may join writes, but not all of them
  const events = eventsIn(Buffer.concat(chunks).toString());
  expect(events.at(-1)?.data.response.output[0].content[0].text).toBe(MULTI_BYTE);
});

test('fragmented-bytes: CRLF, fixed sizes and single bytes leave the content unchanged', async () => {
  const crlf = await given.wireOf(textResponse({ text: MULTI_BYTE, fragmentation: { crlf: true } }));
  expect(Buffer.concat(crlf.chunks).toString()).toMatch(/^event: response.created\r\ndata: .*\r\n\r\nevent:/);
  const sevens = await given.wireOf(fragmented(textResponse({ text: MULTI_BYTE }), { splitEveryBytes: 7 }));
  expect(new Set(sevens.chunks.slice(0, -1).map(({ length }) => length))).toEqual(new Set([7]));
  const single = await given.wireOf(fragmented(textResponse({ text: MULTI_BYTE }), { oneByteAtATime: true }));
  expect(new Set(single.chunks.map(({ length }) => length))).toEqual(new Set([1]));
  for (const { chunks } of [crlf, sevens, single])
    expect(eventsIn(Buffer.concat(chunks).toString()).at(-1)?.data.response.output[0].content[0].text).toBe(MULTI_BYTE);
});

test('withVendorEvents sends events and comments between the others', async () => {
  const events = await given.eventsOf(withVendorEvents(textResponse()));
  expect(events.map(({ event }) => event).slice(0, 4)).toEqual([
    'response.created',
    'codex.rate_limits',
    'keepalive',
    'response.in_progress',
  ]);
});

test('delays the head, or only the first byte after it', async () => {
  given.account.next(delayed(60_000, textResponse()), textResponse({ firstByteDelayMs: 60_000 }));
  const client = new AbortController();
  const waiting = given.send({ signal: client.signal });
  await given.provider.until(() => given.account.inFlight === 1);
  const early = await given.send({ signal: client.signal });
  expect(early.status).toBe(200);
  expect(given.account.received).toMatchObject([{ status: undefined }, { status: 200, sentBytes: 0 }]);
  client.abort();
  await expect(waiting).rejects.toThrow();
  await given.provider.until(() => given.account.inFlight === 0);
});
