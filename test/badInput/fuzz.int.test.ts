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
import { asked, complaintsOf } from './support/examine.ts';
import { forwarded, isObject } from './support/forwarded.ts';
import { decoded, mutation, pathsIn, replaced } from './support/mutations.ts';

/** To run a counterexample again: BAD_INPUT_SEED=... */
const seed = Number(process.env.BAD_INPUT_SEED ?? 20_261_121);
const seeded = (count: number) => ({ seed, ...runs(count) });
const LONG = 60_000 * Math.max(1, thoroughness);

let gateway: Gateway;
const outcomes = { refused: 0, passed: 0 };
beforeAll(async () => {
  // What the provider would say of a body is not looked at here, only which one it got.
  gateway = await startGateway({ provider: { strict: false } });
  gateway.pool[0]?.at.always(textResponse({ text: 'Yes' }));
});
afterAll(async () => {
  process.stdout.write(`mutated bodies: ${outcomes.refused} refused, ${outcomes.passed} passed\n`);
  await gateway.stop();
});

/** One body is passed on as it came, the other has to be rewritten. */
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
  const before = asked(gateway);
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers,
    body: body as NonNullable<RequestInit['body']>,
  });
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
  const reached = asked(gateway) - before;
  return { answer, reached, received: gateway.provider.received.at(-1)?.json };
}

/**
 * Either it is refused and stays here, or the provider got what our rules say of it.
 * @returns the field for which it was refused
 */
async function refusedOrForwarded(path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  try {
    return await checked(path, body, headers);
  } catch (error) {
    throw new Error(`with the body ${Buffer.from(body).toString('base64')}`, { cause: error });
  }
}

async function checked(path: string, body: Uint8Array, headers: Record<string, string>): Promise<string | undefined> {
  const { answer, reached, received } = await send(path, body, headers);
  const plain = decoded(body, headers['content-encoding']);
  const meant = plain && meaningOf(plain);
  if (reached > 0) {
    outcomes.passed++;
    expect(answer.status, answer.text).toBe(200);
    expect(reached).toBe(1);
    if (!meant) throw new Error(`the provider got ${JSON.stringify(received)} for what is no JSON object`);
    expect(isDeepStrictEqual(asJsonSaysIt(received), asJsonSaysIt(forwarded(meant))), JSON.stringify(received)).toBe(
      true,
    );
    return undefined;
  }
  outcomes.refused++;
  expect(problemsOf(answer, { status: 400, code: 'invalid_request_error' })).toEqual([]);
  const { param } = JSON.parse(answer.text).error;
  // A field can only be wrong in a body that could be read, and a body that could be read is refused for a field.
  expect(param === undefined).toBe(meant === undefined);
  return param;
}

function meaningOf(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = isUtf8(body) ? JSON.parse(body.toString()) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without what only JavaScript can say: minus zero, and the infinity that `1e999` becomes. */
const asJsonSaysIt = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

test(
  'a body with flipped bits, cuts and insertions is refused, or passed on with the meaning it has now',
  { timeout: LONG },
  () =>
    fc.assert(
      fc.asyncProperty(
        aPath,
        aBody,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        async (path, body, mutations) => {
          await refusedOrForwarded(
            path,
            mutations.reduce<Uint8Array>((bytes, mutate) => mutate(bytes), body),
          );
        },
      ),
      seeded(500),
    ),
);

test('any value anywhere is refused at its place, or passed on', { timeout: LONG }, () => {
  const places = pathsIn(agentBody);
  return fc.assert(
    fc.asyncProperty(aPath, fc.constantFrom(...places), fc.jsonValue({ maxDepth: 4 }), async (path, place, value) => {
      const param = await refusedOrForwarded(path, Buffer.from(JSON.stringify(replaced(agentBody, place, value))));
      if (param === undefined) return;
      const name = place.join('.');
      expect(`${param}.`.startsWith(`${name}.`) || `${name}.`.startsWith(`${param}.`), `${param} for ${name}`).toBe(
        true,
      );
    }),
    seeded(300),
  );
});

test('a compressed body with mutations is refused, or means what it unpacks to', { timeout: LONG }, () =>
  fc.assert(
    fc.asyncProperty(
      aPath,
      aBody,
      fc.constantFrom(...Object.keys(CODINGS)),
      mutation,
      async (path, body, coding, mutate) => {
        const encode = CODINGS[coding] as (body: Uint8Array) => Buffer;
        await refusedOrForwarded(path, mutate(encode(body)), { 'content-encoding': coding });
      },
    ),
    seeded(150),
  ),
);

test('nothing was said of it, and the log is whole', async () => {
  expect(complaintsOf(gateway)).toEqual([]);
  const response = await gateway.ask();
  expect(await response.text()).toContain('response.completed');
  expect(gateway.events('RequestCompleted')).toHaveLength(asked(gateway));
});
