import { expect, test } from 'vitest';
import { expectSameAsReference, recall, svc, v1 } from './expectSameAsReference.support.ts';
import { readResponsesRequest } from './readResponsesRequest.ts';
import { RequestCache } from './requestCache.ts';
import { bodyWith, codex, json, samples } from './sampleBodies.support.ts';
import { scanBody } from './scanBody.ts';

test.each(Object.entries(samples))('a body of %s is followed without being parsed whole', (_, sample) => {
  const memory = new RequestCache();
  for (const raw of [json(sample), json(sample), json(sample, 2)]) {
    expect(scanBody(raw, memory, 'hint')).toBeDefined();
    expectSameAsReference(raw, memory, v1);
    expectSameAsReference(raw, memory, svc);
  }
});

test('a body that the provider accepts as it is goes out as the same bytes', () => {
  const raw = json(codex, 1);
  expect(readResponsesRequest(raw, 'svc', {}, recall, new RequestCache()).upstreamBody[0]).toBe(raw);
});

test('a text becomes a message where it stands, and what is around it goes out as the same bytes', () => {
  const memory = new RequestCache();
  for (const input of ['x', 'x', 'another']) {
    const raw = Buffer.from(` { "stream": true,\n"input" : "${input}" , "model":"m","store":false} `);
    const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, memory);
    const message = `[{"type":"message","role":"user","content":[{"type":"input_text","text":"${input}"}]}]`;
    expect(Buffer.concat(upstreamBody).toString()).toBe(
      ` { "stream": true,\n"input" : ${message} , "model":"m","store":false} `,
    );
  }
});

test('what is left unchanged is not written again', () => {
  const raw = Buffer.from(
    '{ "temperature":1, "model" : "m", "input":[ {"n":1.50} , {"role":"system","n":1E2} ],"seed":12345678901234567890 }',
  );
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestCache());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model" : "m","input":[{"n":1.50},{"role":"developer","n":1E2}],"seed":12345678901234567890,"stream":true,"store":false}',
  );
});

test('a body that is read whole and written again keeps its numbers as they came', () => {
  const raw = Buffer.from(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"a\\u0062":1.50,"store":false}',
  );
  expect(scanBody(raw, new RequestCache(), 'hint')).toBeUndefined();
  const { upstreamBody } = readResponsesRequest(raw, 'v1', {}, recall, new RequestCache());
  expect(Buffer.concat(upstreamBody).toString()).toBe(
    '{"model":"m","input":[{"role":"user","n":1e999}],"tools":[{"type":"function","max":18446744073709551615}],"ab":1.50,"store":false,"stream":true}',
  );
});

test('when a name comes twice the last value counts, and only that one goes out', () => {
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
  ['another value behind it', `${bodyWith('"a":1')} {}`],
  ['a comma too many', bodyWith('"a":1,')],
  ['no members', '{}'],
  ['an array', '[]'],
  ['a string', '"x"'],
  ['null', 'null'],
  ['a member without value', bodyWith('"a":')],
  ['a member without colon', bodyWith('"a" 1')],
  ['a literal with something behind it', bodyWith('"a":truex')],
  ['a literal in capitals', bodyWith('"a":NULL')],
  ['a number that JSON does not know', bodyWith('"a":01')],
  ['hexadecimal', bodyWith('"a":0x10')],
  ['NaN', bodyWith('"a":NaN')],
  ['a number beyond all bounds', bodyWith('"a":1e999')],
  ['max_output_tokens beyond all bounds', bodyWith('"max_output_tokens":1e999')],
  ['negative max_output_tokens', bodyWith('"max_output_tokens":-3.5')],
  ['many digits', bodyWith(`"a":${'1'.repeat(400)}`)],
  ['a lone surrogate', bodyWith('"a":"\\ud800","b":["\\udc00"]')],
  ['an escape in a name', bodyWith('"\\u0073tore":true')],
  ['an escape that hides a name', bodyWith('"temp\\u0065rature":1')],
  ['a name that comes twice', bodyWith('"store":true,"store":false')],
  ['__proto__', bodyWith('"__proto__":{"store":true},"constructor":1')],
  [
    '__proto__ in an item',
    '{"model":"m","input":[{"__proto__":{"role":"system"},"role":"user"},{"role":"system","__proto__":{"a":1}}]}',
  ],
  [
    'a role that comes twice',
    '{"model":"m","input":[{"role":"system","role":"user"},{"role":"user","role":"system"}]}',
  ],
  ['a role in escapes', '{"model":"m","input":[{"r\\u006fle":"syst\\u0065m"}]}'],
  ['a name of non-ASCII letters', bodyWith('"größe":1')],
  ['a name of many letters', bodyWith(`"${'a'.repeat(300)}":1`)],
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
  ['a comma too many in input', '{"model":"m","input":[{"role":"user"},]}'],
  ['two items without comma', '{"model":"m","input":[{"role":"user"}{"role":"user"}]}'],
  ['brackets that do not match', '{"model":"m","input":[{"a":[}]]}'],
  [
    'only items that the provider refuses',
    '{"model":"m","input":[{"type":"item_reference"},{"type":"item_reference","id":"x"}]}',
  ],
  ['the deepest value', bodyWith(`"a":${nested(127)}`)],
  ['a value that is too deep', bodyWith(`"a":${nested(128)}`)],
  ['the deepest item', `{"model":"m","input":[{"a":${nested(125)}}]}`],
  ['an item that is too deep', `{"model":"m","input":[{"a":${nested(126)}}]}`],
  ['a depth without end', bodyWith(`"a":${'['.repeat(200_000)}`)],
  ['an input of null', '{"model":"m","input":null}'],
  ['no input', '{"model":"m"}'],
  ['no model', '{"input":"x"}'],
  ['an empty input', '{"model":"m","input":""}'],
  ['a blank prompt_cache_key', bodyWith('"prompt_cache_key":" ","conversation":"c"')],
  ['tools of no type', bodyWith('"tools":[{}]')],
  [
    'a forbidden choice and forbidden tools',
    bodyWith('"tool_choice":{"type":"file_search"},"tools":[{"type":"file_search"}]'),
  ],
  [
    'null for everything',
    bodyWith('"instructions":null,"stream":null,"store":null,"tools":null,"text":null,"reasoning":null,"user":null'),
  ],
])('%s is read as before', (_, text) => {
  const memory = new RequestCache();
  for (const call of [v1, svc]) expectSameAsReference(Buffer.from(text), memory, call);
});
