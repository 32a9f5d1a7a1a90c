import { agentBody, agentText } from '../support/agentBody.ts';
import { type BadRequest, invalidBody, onBothRoutes } from '../support/badRequest.ts';
import { withField } from './wrongTypes.ts';

const inside = (extra: string) => `${agentText.slice(0, -1)},${extra}}`;
const texts = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([name, body]) => invalidBody(name, body, { param: null }));
const bytes = (all: Readonly<Record<string, readonly Uint8Array[]>>) =>
  Object.entries(all).map(([name, parts]) => invalidBody(name, Buffer.concat(parts), { param: null }));

const TEN_TO_THE_400 = `1${'0'.repeat(400)}`;

/** Bodies that are not a JSON object in UTF-8. */
export const notJson = (): BadRequest[] => onBothRoutes([...otherValues(), ...almostJson(), ...invalidBytes()]);

const otherValues = () =>
  texts({
    'an empty body': '',
    'only white space': ' \r\n\t ',
    null: 'null',
    true: 'true',
    'a number': '42',
    'ten to the 400': TEN_TO_THE_400,
    '1e999': '1e999',
    'a string': '"hello"',
    'JSON within a string': JSON.stringify(agentText),
    'an empty array': '[]',
    'an array of bodies': `[${agentText}]`,
    'a form': 'model=gpt-5.1&input=hi',
    'a multipart form': '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\ngpt\r\n--x--\r\n',
    XML: '<?xml version="1.0"?><model>gpt</model>',
    YAML: 'model: gpt-5.1\ninput: hi\n',
    'an event stream': `data: ${agentText}\n\n`,
    'JSON with a guard prefix': `)]}',\n${agentText}`,
  });

const almostJson = () =>
  texts({
    'two bodies': agentText + agentText,
    'two bodies on two lines': `${agentText}\n${agentText}`,
    'an extra brace': `${agentText}}`,
    'a comma after it': `${agentText},`,
    'a NUL after it': `${agentText}\0`,
    'text after it': `${agentText} ok`,
    'a trailing comma': `${agentText.slice(0, -1)},}`,
    'two commas': inside('"a":1,,"b":2'),
    'a missing comma': agentText.replace(',"input"', '"input"'),
    'a missing colon': inside('"a" 1'),
    'a key without quotes': inside('a:1'),
    'a key in single quotes': inside("'a':1"),
    'a number as key': inside('1:1'),
    'null as key': inside('null:1'),
    'a key without value': inside('"a":'),
    'a value without key': inside('"a"'),
    'a comment': inside('/* why */"a":1'),
    'a comment on its own line': `// why\n${agentText}`,
    'a value in single quotes': inside(`"a":'b'`),
    NaN: inside('"a":NaN'),
    Infinity: inside('"a":-Infinity'),
    undefined: inside('"a":undefined'),
    True: inside('"a":True'),
    'a truncated literal': inside('"a":nul'),
    'a literal that is too long': inside('"a":nulll'),
    'a leading zero': inside('"a":01'),
    'a leading plus': inside('"a":+1'),
    'a leading point': inside('"a":.5'),
    'a trailing point': inside('"a":5.'),
    'an exponent without digits': inside('"a":1e'),
    'two points': inside('"a":1.2.3'),
    'a hexadecimal number': inside('"a":0x10'),
    'a BigInt literal': inside('"a":10n'),
    'a number with separators': inside('"a":1_000'),
    'only a minus': inside('"a":-'),
    'a line break in a string': inside('"a":"b\nc"'),
    'a tab in a string': inside('"a":"b\tc"'),
    'a NUL in a string': inside('"a":"b\0c"'),
    'a NUL between values': inside('\0"a":1'),
    'a NUL before it': `\0${agentText}`,
    'an unknown escape': inside('"a":"\\x41"'),
    'a truncated escape': inside('"a":"\\u12"'),
    'an invalid hexadecimal escape': inside('"a":"\\u12g4"'),
    'a form feed as white space': `\f${agentText}`,
    'a no-break space as white space': `\u00a0${agentText}`,
    'an array closed as an object': inside('"a":[1}'),
    'an object closed as an array': inside('"a":{"b":1]'),
    'an unclosed string': inside('"a":"b'),
    'a backslash before the last quote': inside('"a":"b\\"'),
    'only a colon': ':',
    'only a brace': '{',
  });

const json = Buffer.from(agentText);
const utf16 = Buffer.from(agentText, 'utf16le');
const within = (...middle: number[]) => [
  Buffer.from('{"model":"a'),
  Buffer.from(middle),
  Buffer.from('","input":"x","instructions":""}'),
];

const invalidBytes = () => [
  ...bytes({
    'a byte order mark': [Buffer.from([0xef, 0xbb, 0xbf]), json],
    'UTF-16LE': [utf16],
    'UTF-16BE': [Buffer.from(utf16).swap16()],
    'UTF-16 with a byte order mark': [Buffer.from([0xff, 0xfe]), utf16],
    'UTF-32': [Buffer.from([...agentText].flatMap((letter) => [letter.charCodeAt(0) & 0xff, 0, 0, 0]))],
    'Latin-1': [Buffer.from('{"model":"gpt","instructions":"","input":"\u00fc"}', 'latin1')],
    'a lone continuation byte': within(0x80),
    'a truncated character': within(0xe6, 0xbc),
    'an overlong slash': within(0xc0, 0xaf),
    'an overlong NUL': within(0xc0, 0x80),
    'a surrogate as UTF-8': within(0xed, 0xa0, 0x80),
    'a pair of surrogates as UTF-8': within(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
    'a code point beyond Unicode': within(0xf4, 0x90, 0x80, 0x80),
    'bytes that never occur in UTF-8': within(0xfe, 0xff),
    'a truncated character at the end': [json, Buffer.from([0xf0, 0x9f, 0xa6])],
    'invalid bytes in a key': [Buffer.from('{"mod'), Buffer.from([0xff]), Buffer.from('el":"gpt"}')],
    'invalid bytes in an unknown field': [
      Buffer.from(inside('"a":"').slice(0, -1)),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ],
    'a thousand NULs': [Buffer.alloc(1_000)],
    'a kilobyte of 0xff': [Buffer.alloc(1_024, 0xff)],
    'a PNG image': [Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    'gzip without Content-Encoding': [Buffer.from('1f8b08000000000000030300000000000000000000', 'hex')],
  }),
  ...[
    'model',
    'instructions',
    'input',
    'tools',
    'tool_choice',
    'stream',
    'reasoning',
    'reasoning.effort',
    'text.verbosity',
  ].flatMap((field) =>
    ['1e999', '-1e999', TEN_TO_THE_400, `0.${'0'.repeat(400)}1`].map((number) =>
      invalidBody(
        `${field} is ${number.slice(0, 8)}`,
        JSON.stringify(withField(field, 'HERE')).replace('"HERE"', number),
        {
          param: field,
        },
      ),
    ),
  ),
  ...['1e999', TEN_TO_THE_400].map((number) =>
    invalidBody(
      `max_output_tokens is ${number.slice(0, 8)}`,
      JSON.stringify({ ...agentBody, max_output_tokens: 'HERE' }).replace('"HERE"', number),
      {
        param: 'max_output_tokens',
      },
    ),
  ),
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].map((name) =>
    invalidBody(
      `the model is only under ${name}`,
      `{"${name}":{"model":"gpt-5.1","input":"x"},"input":"x","instructions":""}`,
      { param: 'model' },
    ),
  ),
  invalidBody('the last of two models is not a string', inside('"model":5'), { param: 'model' }),
  invalidBody('the last of two stores is true', inside('"store":true'), { param: 'store' }),
  invalidBody('a forbidden field with escapes', inside('"\\u0073tore":true'), { param: 'store' }),
  invalidBody('a forbidden value with escapes', inside('"tools":[{"type":"file\\u005fsearch"}]'), {
    param: 'tools.0.type',
  }),
  invalidBody('a lone surrogate as include', inside('"include":["\\ud800"]'), { param: 'include.0' }),
];
