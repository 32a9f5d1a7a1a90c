import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { runs, thoroughness } from '../support/runs.ts';
import { CODINGS } from './requests/contentEncoding.ts';
import { agentBody, agentText } from './support/agentBody.ts';
import { PATHS, problemsOf } from './support/badRequest.ts';
import { expectedUpstreamBody, isObject } from './support/expectedUpstreamBody.ts';
import { decode, mutation, pathsIn, replaceAt } from './support/mutations.ts';
import { reportsOf, upstreamRequests } from './support/sendBadRequests.ts';

/** BAD_INPUT_SEED=... reproduces a counterexample. */
const seed = Number(process.env.BAD_INPUT_SEED ?? 20_261_121);
const seeded = (count: number) => ({ seed, ...runs(count) });
const LONG = 60_000 * Math.max(1, thoroughness);

let gateway: Gateway;
const outcomes = { rejected: 0, forwarded: 0 };
beforeAll(async () => {
  // Only the body that the provider received matters here, not its response.
  gateway = await startGateway({ provider: { strict: false } });
  gateway.pool[0]?.at.always(textResponse({ text: 'Yes' }));
});
afterAll(async () => {
  process.stdout.write(`mutated bodies: ${outcomes.rejected} rejected, ${outcomes.forwarded} forwarded\n`);
  await gateway.stop();
});

/** One body is forwarded unchanged, the other must be rewritten. */
const bodies = {
  plain: agentText,
  rewritten: JSON.stringify({
    ...agentBody,
    stream: undefined,
    store: undefined,
    temperature: 0.5,
    input: [{ role: 'system', content: 'Hi' }, ...agentBody.input],
  }),
};
const aBody = fc.constantFrom(...Object.values(bodies)).map((text) => Buffer.from(text));
const aPath = fc.constantFrom(...Object.values(PATHS));

async function send(path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const before = upstreamRequests(gateway);
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers,
    body: body as NonNullable<RequestInit['body']>,
  });
  const result = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
  const reached = upstreamRequests(gateway) - before;
  return { response: result, reached, received: gateway.provider.received.at(-1)?.json };
}

/**
 * Sends a body that must be rejected, or forwarded as `expectedUpstreamBody` says.
 * @returns the field in the error
 */
async function expectRejectedOrForwarded(path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  try {
    return await sendAndCheck(path, body, headers);
  } catch (error) {
    throw new Error(`with the body ${Buffer.from(body).toString('base64')}`, { cause: error });
  }
}

async function sendAndCheck(
  path: string,
  body: Uint8Array,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const { response, reached, received } = await send(path, body, headers);
  const plain = decode(body, headers['content-encoding']);
  const parsed = plain && parseBody(plain);
  if (reached > 0) {
    outcomes.forwarded++;
    expect(response.status, response.text).toBe(200);
    expect(reached).toBe(1);
    if (!parsed)
      throw new Error(`the provider received ${JSON.stringify(received)} for a body that is not a JSON object`);
    expect(
      isDeepStrictEqual(normalized(received), normalized(expectedUpstreamBody(parsed))),
      JSON.stringify(received),
    ).toBe(true);
    return undefined;
  }
  outcomes.rejected++;
  expect(problemsOf(response, { status: 400, code: 'invalid_request_error' })).toEqual([]);
  const { param } = JSON.parse(response.text).error;
  // The error names a field exactly if the body could be parsed.
  expect(param === undefined).toBe(parsed === undefined);
  return param;
}

function parseBody(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = isUtf8(body) ? JSON.parse(body.toString()) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes what JSON cannot represent: minus zero, and the infinity that `1e999` becomes. */
const normalized = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

test('rejects mutated bodies, or forwards them with the same meaning', { timeout: LONG }, () =>
  fc.assert(
    fc.asyncProperty(
      aPath,
      aBody,
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      async (path, body, mutations) => {
        await expectRejectedOrForwarded(
          path,
          mutations.reduce<Uint8Array>((bytes, mutate) => mutate(bytes), body),
        );
      },
    ),
    seeded(500),
  ),
);

test('rejects arbitrary values with their path, or forwards them', { timeout: LONG }, () => {
  const places = pathsIn(agentBody);
  return fc.assert(
    fc.asyncProperty(aPath, fc.constantFrom(...places), fc.jsonValue({ maxDepth: 4 }), async (path, place, value) => {
      const param = await expectRejectedOrForwarded(
        path,
        Buffer.from(JSON.stringify(replaceAt(agentBody, place, value))),
      );
      if (param === undefined) return;
      const name = place.join('.');
      expect(`${param}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${param}.`), `${param} for ${name}`).toBe(
        true,
      );
    }),
    seeded(300),
  );
});

test('rejects mutated compressed bodies, or forwards them decompressed', { timeout: LONG }, () =>
  fc.assert(
    fc.asyncProperty(
      aPath,
      aBody,
      fc.constantFrom(...Object.keys(CODINGS)),
      mutation,
      async (path, body, coding, mutate) => {
        const encode = CODINGS[coding] as (body: Uint8Array) => Buffer;
        await expectRejectedOrForwarded(path, mutate(encode(body)), { 'content-encoding': coding });
      },
    ),
    seeded(150),
  ),
);

test('reports nothing, and logs every forwarded request', async () => {
  expect(reportsOf(gateway)).toEqual([]);
  const response = await gateway.ask();
  expect(await response.text()).toContain('response.completed');
  expect(gateway.events('RequestCompleted')).toHaveLength(upstreamRequests(gateway));
});
