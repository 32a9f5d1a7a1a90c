import { AUTH_CLAIM, authFile, form, jwt } from '../../support/authFiles.ts';
import type { BadRequest, Expected } from '../support/badRequest.ts';

const INVALID: Expected = { status: 400, code: 'invalid_auth_json', envelope: 'management' };
const PATH = '/api/accounts/import';
const BOUNDARY = '----svc-test';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const rejected = (
  name: string,
  body: string | Uint8Array,
  type = TYPE,
  rest: Partial<BadRequest> = {},
): BadRequest => ({
  name: `an import: ${name}`,
  path: PATH,
  body,
  headers: { 'content-type': type },
  expected: INVALID,
  isLogged: false,
  ...rest,
});
const file = (name: string, content: string | Uint8Array) =>
  rejected(name, form({ name: 'auth_json', content }).body as Uint8Array);
const json = (name: string, content: unknown) => file(name, JSON.stringify(content));
const valid = authFile({ email: 'new@example.com', accountId: 'new-account' });
const { tokens } = valid;
const text = JSON.stringify(valid);
const part = (head: string, body = text) => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n--${BOUNDARY}--\r\n`;
const DISPOSITION = 'content-disposition: form-data; name="auth_json"; filename="auth.json"';

/** Uploads that are not an auth file. @param known the auth file of an existing account */
export const imports = (known: object): BadRequest[] => [
  ...uploads(),
  ...files(),
  {
    ...rejected('an existing account', form({ name: 'auth_json', content: JSON.stringify(known) }).body as Uint8Array),
    expected: { status: 409, code: 'duplicate_identity_conflict', envelope: 'management' },
  },
  ...['maybe', '', 'REPLACE', '%00', 'replace&on_duplicate=skip'].map((rule) =>
    rejected(`on_duplicate=${rule}`, form({ name: 'auth_json', content: text }).body as Uint8Array, TYPE, {
      path: `${PATH}?on_duplicate=${rule}`,
      expected: { status: 400, code: 'validation_error', envelope: 'management' },
    }),
  ),
];

const uploads = (): BadRequest[] => [
  rejected('an empty body', ''),
  rejected('JSON without a form', text, 'application/json'),
  rejected('a URL-encoded form', `auth_json=${encodeURIComponent(text)}`, 'application/x-www-form-urlencoded'),
  rejected('no boundary', part(DISPOSITION), 'multipart/form-data'),
  rejected('an empty boundary', part(DISPOSITION), 'multipart/form-data; boundary='),
  rejected('another boundary', part(DISPOSITION), 'multipart/form-data; boundary=other'),
  rejected('a boundary of 5 kB', part(DISPOSITION), `multipart/form-data; boundary=${'b'.repeat(5_000)}`),
  rejected('another kind of multipart', part(DISPOSITION), `multipart/mixed; boundary=${BOUNDARY}`),
  rejected('no parts', `--${BOUNDARY}--\r\n`),
  rejected('text instead of parts', 'hello'),
  rejected('truncated in a head', part(DISPOSITION).slice(0, 30)),
  rejected('truncated in a body', part(DISPOSITION).slice(0, 200)),
  rejected('no last boundary', part(DISPOSITION).slice(0, -20)),
  rejected('a part without a head', part('x: y')),
  rejected('a part without a name', part('content-disposition: form-data; filename="auth.json"')),
  rejected('a part with another name', part('content-disposition: form-data; name="file"; filename="auth.json"')),
  rejected('a part with a truncated name', part('content-disposition: form-data; name="auth_js')),
  rejected('a head of 20 kB', part(`${DISPOSITION}\r\nx-note: ${'n'.repeat(20_000)}`, 'x')),
  rejected(
    'a file name with .., and no auth file',
    part('content-disposition: form-data; name="auth_json"; filename="../../../etc/passwd"', 'root'),
  ),
  rejected(
    'the part twice',
    form({ name: 'auth_json', content: text }, { name: 'auth_json', content: text }).body as Uint8Array,
  ),
  rejected(
    'a hundred other parts',
    form(...Array.from({ length: 100 }, (_, n) => ({ name: `p${n}`, content: 'x', plain: true }))).body as Uint8Array,
  ),
  rejected(
    'a file of 3 MiB',
    form({ name: 'auth_json', content: Buffer.alloc(3 * 1_048_576, ' ') }).body as Uint8Array,
  ),
  rejected(
    'another file of 3 MiB',
    form({ name: 'other', content: Buffer.alloc(3 * 1_048_576, ' ') }).body as Uint8Array,
  ),
  rejected(
    'base64 as a transfer encoding',
    part(`${DISPOSITION}\r\ncontent-transfer-encoding: base64`, Buffer.from('nope').toString('base64')),
  ),
  rejected('invalid gzip', part(DISPOSITION), TYPE, {
    headers: { 'content-type': TYPE, 'content-encoding': 'gzip' },
    body: 'x',
  }),
];

const withTokens = (change: Record<string, unknown>) => ({ ...valid, tokens: { ...tokens, ...change } });

const files = (): BadRequest[] => [
  ...['', 'null', '[]', '5', '"text"', '{}', '{', text.slice(0, -1), `${text}}`, `\0${text}`].map((content) =>
    file(`the file ${JSON.stringify(content).slice(0, 30)}`, content),
  ),
  file('UTF-16', Buffer.from(text, 'utf16le')),
  file('invalid UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x7d])])),
  file('100,000 levels', `{"tokens":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  ...[null, 5, 'token', []].map((value) => json(`tokens is ${JSON.stringify(value)}`, { ...valid, tokens: value })),
  ...['access_token', 'refresh_token', 'id_token'].flatMap((name) => [
    ...[undefined, null, '', 5, true, [], {}, ['x']].map((value) =>
      json(`${name} is ${JSON.stringify(value)}`, withTokens({ [name]: value })),
    ),
    ...['a b', 'a\r\nx-evil: 1', 'a\u0000b', 'té', '🦊'].map((value) =>
      json(`${name} is ${JSON.stringify(value)}`, withTokens({ [name]: value })),
    ),
  ]),
  ...['a b', 'x\r\ny', 'é', 'i'.repeat(201)].map((value) =>
    json(`account_id is ${JSON.stringify(value).slice(0, 20)}`, withTokens({ account_id: value })),
  ),
  json(
    'an account id in the token that is invalid in a header',
    withTokens({ id_token: jwt({ [AUTH_CLAIM]: { chatgpt_account_id: 'x\ny' } }) }),
  ),
];
