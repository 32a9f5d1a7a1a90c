import { expect, test } from 'vitest';
import { expectSameAsReference, recall, svc, v1 } from './expectSameAsReference.support.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import { RequestCache } from './requestCache.ts';
import { bodyWith, codex, json, samples } from './sampleBodies.support.ts';
import { scanBody } from './scanBody.ts';

test.each(Object.entries(samples))('scans a body of %s without parsing all of it', (_, sample) => {
  const cache = new RequestCache();
  for (const raw of [json(sample), json(sample), json(sample, 2)]) {
    expect(scanBody(raw, cache, 'hint')).toBeDefined();
    expectSameAsReference(raw, cache, v1);
    expectSameAsReference(raw, cache, svc);
  }
});

test('forwards the same bytes when the provider accepts them', () => {
  const raw = json(codex, 1);
  expect(readResponsesRequest(raw, 'svc', {}, recall, new RequestCache()).upstreamBody[0]).toBe(raw);
});

test('turns a string input into a message and forwards the bytes around it unchanged', () => {
  const cache = new RequestCache();
  for (const input of ['x', 'x', 'another']) {
    const raw = Buffer.from(` { "stream": true,\n"input" : "${input}" , "model":"m","store":false} `);
    const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, cache);
    const message = `[{"type":"message","role":"user","content":[{"type":"input_text","text":"${input}"}]}]`;
    expect(Buffer.concat(upstreamBody).toString()).toBe(
      ` { "stream": true,\n"input" : ${message} , "model":"m","store":false} `,
    );
  }
});

test('does not serialize unchanged members again', () => {
  const raw = Buffer.from(
    '{ "temperature":1, "model" : "m", "input":[ {"n":1.50} , {"role":"system","n":1E2} ],"seed":12345678901234567890 }',
  );
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestCache());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model" : "m","input":[{"n":1.50},{"role":"developer","n":1E2}],"seed":12345678901234567890,"stream":true,"store":false}',
  );
});

test('keeps numbers as received when the whole body is parsed and serialized again', () => {
  const raw = Buffer.from(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"a\\u0062":1.50,"store":false}',
  );
  expect(scanBody(raw, new RequestCache(), 'hint')).toBeUndefined();
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestCache());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"ab":1.50,"store":false,"stream":true}',
  );
});

test('forwards only the last value of a repeated name', () => {
  const raw = Buffer.from(
    '{"model":"m","input":"x","tools":[{"type":"file_search"}],"tools":[],"stream":true,"store":false}',
  );
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestCache());
  expect(Buffer.concat(upstreamBody).toString().match(/tools/g)).toHaveLength(1);
  expect(JSON.parse(Buffer.concat(upstreamBody).toString()).tools).toEqual([]);
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  ['nothing', ''],
  ['white space', ' \n'],
  ['a byte order mark', `\uFEFF${bodyWith('"a":1')}`],
  ['another value after it', `${bodyWith('"a":1')} {}`],
  ['a trailing comma', bodyWith('"a":1,')],
  ['no members', '{}'],
  ['an array', '[]'],
  ['a string', '"x"'],
  ['null', 'null'],
  ['a member without value', bodyWith('"a":')],
  ['a member without colon', bodyWith('"a" 1')],
  ['a literal with a suffix', bodyWith('"a":truex')],
  ['a literal in capitals', bodyWith('"a":NULL')],
  ['a number with a leading zero', bodyWith('"a":01')],
  ['hexadecimal', bodyWith('"a":0x10')],
  ['NaN', bodyWith('"a":NaN')],
  ['a number that overflows', bodyWith('"a":1e999')],
  ['max_output_tokens that overflows', bodyWith('"max_output_tokens":1e999')],
  ['negative max_output_tokens', bodyWith('"max_output_tokens":-3.5')],
  ['a number of many digits', bodyWith(`"a":${'1'.repeat(400)}`)],
  ['a lone surrogate', bodyWith('"a":"\\ud800","b":["\\udc00"]')],
  ['an escape in a name', bodyWith('"\\u0073tore":true')],
  ['a known name with an escape', bodyWith('"temp\\u0065rature":1')],
  ['a repeated name', bodyWith('"store":true,"store":false')],
  ['__proto__', bodyWith('"__proto__":{"store":true},"constructor":1')],
  [
    '__proto__ in an item',
    '{"model":"m","input":[{"__proto__":{"role":"system"},"role":"user"},{"role":"system","__proto__":{"a":1}}]}',
  ],
  ['a repeated role', '{"model":"m","input":[{"role":"system","role":"user"},{"role":"user","role":"system"}]}'],
  ['a role with escapes', '{"model":"m","input":[{"r\\u006fle":"syst\\u0065m"}]}'],
  ['a name of non-ASCII letters', bodyWith('"größe":1')],
  ['a long name', bodyWith(`"${'a'.repeat(300)}":1`)],
  ['an empty name', bodyWith('"":1')],
  ['hundreds of members', bodyWith(Array.from({ length: 300 }, (_, index) => `"m${index}":${index}`).join())],
  ['a control character in a string', bodyWith('"a":"\u0001"')],
  ['a control character in a long string', bodyWith(`"instructions":"${'a'.repeat(200)}\u0001"`)],
  ['a string that ends in backslashes', bodyWith(`"instructions":"${'a'.repeat(200)}\\\\\\\\"`)],
  ['a string that ends in an escaped quote', bodyWith(`"instructions":"${'a'.repeat(200)}\\\\\\"`)],
  ['items that are not objects', '{"model":"m","input":[{"role":"user"},"x",null,1]}'],
  ['an array in input', '{"model":"m","input":[[]]}'],
  ['no items', '{"model":"m","input":[ ]}'],
  ['only a comma in input', '{"model":"m","input":[,]}'],
  ['a trailing comma in input', '{"model":"m","input":[{"role":"user"},]}'],
  ['two items without a comma', '{"model":"m","input":[{"role":"user"}{"role":"user"}]}'],
  ['brackets that do not match', '{"model":"m","input":[{"a":[}]]}'],
  [
    'only items that the provider refuses',
    '{"model":"m","input":[{"type":"item_reference"},{"type":"item_reference","id":"x"}]}',
  ],
  ['a value of the maximum depth', bodyWith(`"a":${nested(127)}`)],
  ['a value beyond the maximum depth', bodyWith(`"a":${nested(128)}`)],
  ['an item of the maximum depth', `{"model":"m","input":[{"a":${nested(125)}}]}`],
  ['an item beyond the maximum depth', `{"model":"m","input":[{"a":${nested(126)}}]}`],
  ['unbounded nesting', bodyWith(`"a":${'['.repeat(200_000)}`)],
  ['an input of null', '{"model":"m","input":null}'],
  ['no input', '{"model":"m"}'],
  ['no model', '{"input":"x"}'],
  ['an empty input', '{"model":"m","input":""}'],
  ['a blank prompt_cache_key', bodyWith('"prompt_cache_key":" ","conversation":"c"')],
  ['a tool without a type', bodyWith('"tools":[{}]')],
  [
    'a forbidden tool choice and forbidden tools',
    bodyWith('"tool_choice":{"type":"file_search"},"tools":[{"type":"file_search"}]'),
  ],
  [
    'null for all optional members',
    bodyWith('"instructions":null,"stream":null,"store":null,"tools":null,"text":null,"reasoning":null,"user":null'),
  ],
])('reads %s like the reference', (_, text) => {
  const cache = new RequestCache();
  for (const call of [v1, svc]) expectSameAsReference(Buffer.from(text), cache, call);
});
