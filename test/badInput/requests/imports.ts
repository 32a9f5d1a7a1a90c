import { AUTH_CLAIM, authFile, form, jwt } from '../../support/authFiles.ts';
import type { BadRequest, Expected } from '../support/badRequest.ts';

const INVALID: Expected = { status: 400, code: 'invalid_auth_json', envelope: 'management' };
const PATH = '/api/accounts/import';
const BOUNDARY = '----svc-test';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const refused = (name: string, body: string | Uint8Array, type = TYPE, rest: Partial<BadRequest> = {}): BadRequest => ({
  name: `an import: ${name}`,
  path: PATH,
  body,
  headers: { 'content-type': type },
  expected: INVALID,
  isLogged: false,
  ...rest,
});
const file = (name: string, content: string | Uint8Array) =>
  refused(name, form({ name: 'auth_json', content }).body as Uint8Array);
const json = (name: string, content: unknown) => file(name, JSON.stringify(content));
const good = authFile({ email: 'new@example.com', accountId: 'new-account' });
const { tokens } = good;
const text = JSON.stringify(good);
const part = (head: string, body = text) => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n--${BOUNDARY}--\r\n`;
const DISPOSITION = 'content-disposition: form-data; name="auth_json"; filename="auth.json"';

/** Uploads that are no auth file. @param known of an account that is there already */
export const imports = (known: object): BadRequest[] => [
  ...uploads(),
  ...files(),
  {
    ...refused(
      'an account that is there',
      form({ name: 'auth_json', content: JSON.stringify(known) }).body as Uint8Array,
    ),
    expected: { status: 409, code: 'duplicate_identity_conflict', envelope: 'management' },
  },
  ...['maybe', '', 'REPLACE', '%00', 'replace&on_duplicate=skip'].map((rule) =>
    refused(`on_duplicate=${rule}`, form({ name: 'auth_json', content: text }).body as Uint8Array, TYPE, {
      path: `${PATH}?on_duplicate=${rule}`,
      expected: { status: 400, code: 'validation_error', envelope: 'management' },
    }),
  ),
];

const uploads = (): BadRequest[] => [
  refused('nothing', ''),
  refused('JSON without a form', text, 'application/json'),
  refused('a form of the other kind', `auth_json=${encodeURIComponent(text)}`, 'application/x-www-form-urlencoded'),
  refused('no boundary', part(DISPOSITION), 'multipart/form-data'),
  refused('an empty boundary', part(DISPOSITION), 'multipart/form-data; boundary='),
  refused('another boundary', part(DISPOSITION), 'multipart/form-data; boundary=other'),
  refused('a boundary of 5 kB', part(DISPOSITION), `multipart/form-data; boundary=${'b'.repeat(5_000)}`),
  refused('another kind of multipart', part(DISPOSITION), `multipart/mixed; boundary=${BOUNDARY}`),
  refused('no parts', `--${BOUNDARY}--\r\n`),
  refused('text in place of parts', 'hello'),
  refused('cut in a head', part(DISPOSITION).slice(0, 30)),
  refused('cut in a body', part(DISPOSITION).slice(0, 200)),
  refused('no last boundary', part(DISPOSITION).slice(0, -20)),
  refused('a part without head', part('x: y')),
  refused('a part without name', part('content-disposition: form-data; filename="auth.json"')),
  refused('a part of another name', part('content-disposition: form-data; name="file"; filename="auth.json"')),
  refused('a part whose name is cut', part('content-disposition: form-data; name="auth_js')),
  refused('a head of 20 kB', part(`${DISPOSITION}\r\nx-note: ${'n'.repeat(20_000)}`, 'x')),
  refused(
    'a file name that climbs, and no auth file',
    part('content-disposition: form-data; name="auth_json"; filename="../../../etc/passwd"', 'root'),
  ),
  refused(
    'the part twice',
    form({ name: 'auth_json', content: text }, { name: 'auth_json', content: text }).body as Uint8Array,
  ),
  refused(
    'a hundred other parts',
    form(...Array.from({ length: 100 }, (_, n) => ({ name: `p${n}`, content: 'x', plain: true }))).body as Uint8Array,
  ),
  refused('a file of 3 MiB', form({ name: 'auth_json', content: Buffer.alloc(3 * 1_048_576, ' ') }).body as Uint8Array),
  refused(
    'another file of 3 MiB',
    form({ name: 'other', content: Buffer.alloc(3 * 1_048_576, ' ') }).body as Uint8Array,
  ),
  refused(
    'base64 that nobody undoes',
    part(`${DISPOSITION}\r\ncontent-transfer-encoding: base64`, Buffer.from('nope').toString('base64')),
  ),
  refused('gzip that is none', part(DISPOSITION), TYPE, {
    headers: { 'content-type': TYPE, 'content-encoding': 'gzip' },
    body: 'x',
  }),
];

const withTokens = (change: Record<string, unknown>) => ({ ...good, tokens: { ...tokens, ...change } });

const files = (): BadRequest[] => [
  ...['', 'null', '[]', '5', '"text"', '{}', '{', text.slice(0, -1), `${text}}`, `\0${text}`].map((content) =>
    file(`the file ${JSON.stringify(content).slice(0, 30)}`, content),
  ),
  file('UTF-16', Buffer.from(text, 'utf16le')),
  file('bad UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x7d])])),
  file('100,000 levels', `{"tokens":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  ...[null, 5, 'token', []].map((value) => json(`tokens is ${JSON.stringify(value)}`, { ...good, tokens: value })),
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
    'an account id that no header takes, in the token',
    withTokens({ id_token: jwt({ [AUTH_CLAIM]: { chatgpt_account_id: 'x\ny' } }) }),
  ),
];
