import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { BadRequest } from '../support/badRequest.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly code: string;
  /** A valid body. */
  readonly valid: Readonly<Record<string, unknown>>;
}

const RULE = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 5 };

const endpointsOf = (keyId: string) => ({
  create: { method: 'POST', path: '/api/api-keys', code: 'invalid_api_key_payload', valid: { name: 'new' } },
  change: {
    method: 'PATCH',
    path: `/api/api-keys/${keyId}`,
    code: 'invalid_api_key_payload',
    valid: { name: 'newer' },
  },
  settings: {
    method: 'PUT',
    path: '/api/settings',
    code: 'validation_error',
    valid: { sticky_threads_enabled: false, prefer_earlier_reset_accounts: true },
  },
  firewall: { method: 'POST', path: '/api/firewall/ips', code: 'invalid_ip', valid: { ip_address: '10.1.2.3' } },
  setUp: {
    method: 'POST',
    path: '/api/dashboard-auth/password/setup',
    code: 'validation_error',
    valid: { password: 'a long password' },
  },
});

/** Invalid bodies of write requests. @param keyId id of an existing key */
export function managementBodies(keyId: string): BadRequest[] {
  const { create, change, settings, firewall, setUp } = endpointsOf(keyId);
  const fields = (endpoint: Endpoint, values: Readonly<Record<string, readonly unknown[]>>) =>
    Object.entries(values).flatMap(([field, invalid]) => invalid.map((value) => withField(endpoint, field, value)));
  return [
    ...[create, change, settings, firewall, setUp].flatMap((endpoint) => [
      ...notJson(endpoint),
      ...unknownFields(endpoint),
    ]),
    ...fields(create, {
      name: [null, 5, true, [], {}, '', 'n'.repeat(129)],
      is_active: [false, 'yes', 0],
      reset_usage: [true],
    }),
    ...fields(change, { name: [null, 5, '', 'n'.repeat(129)], is_active: ['yes', 0, []], reset_usage: ['yes', 1] }),
    ...[create, change].flatMap((endpoint) =>
      fields(endpoint, {
        allowed_models: ['gpt', 5, {}, [5], [null], [['gpt']]],
        expires_at: [
          5,
          true,
          'soon',
          '',
          '2030-13-01',
          '2030-02-30T00:00:00Z',
          '2030-01-01T25:00:00Z',
          ['2030-01-01'],
          '9'.repeat(1_000),
        ],
        weekly_token_limit: [0, -1, 1.5, '5', 1e300, [5]],
        limits: [
          {},
          'daily',
          [5],
          [null],
          [{}],
          ...Object.keys(RULE).map((name) => [{ ...RULE, [name]: undefined }]),
          ...[0, -1, 1.5, '5', null, 1e300, 2 ** 53].map((max_value) => [{ ...RULE, max_value }]),
          ...['tokens', '', null, 5, 'TOTAL_TOKENS', '__proto__'].map((limit_type) => [{ ...RULE, limit_type }]),
          ...['hourly', null, 'Daily'].map((limit_window) => [{ ...RULE, limit_window }]),
          ...[5, [], {}].map((model_filter) => [{ ...RULE, model_filter }]),
          [{ ...RULE, limit_type: 'cost_usd', max_value: 10_000_000_000 }],
          [{ ...RULE, reset: true }],
          [RULE, RULE, { ...RULE, max_value: 'five' }],
        ],
      }),
    ),
    ...['sticky_threads_enabled', 'prefer_earlier_reset_accounts'].flatMap((field) =>
      [undefined, null, 'true', 1, {}].map((value) => withField(settings, field, value)),
    ),
    ...fields(settings, {
      routing_strategy: ['random', '', 5, ['round_robin'], 'ROUND_ROBIN'],
      import_without_overwrite: ['no', 0, []],
      totp_required_on_login: ['yes', 1],
      api_key_auth_enabled: ['true', 1, {}],
    }),
    ...fields(firewall, {
      ip_address: [
        null,
        5,
        true,
        [],
        {},
        ['10.0.0.1'],
        undefined,
        '',
        ' ',
        'localhost',
        '1.2.3',
        '1.2.3.4.5',
        '256.1.1.1',
        '1.2.3.4/24',
        '1.2.3.4:80',
        '-1.2.3.4',
        '0x7f.1',
        '::g',
        ':::',
        '1::2::3',
        '[::1]',
        '::1/128',
        '1.2.3.4\u0000',
        '１.2.3.4',
        '9'.repeat(5_000),
      ],
    }),
    ...fields(setUp, {
      password: [
        undefined,
        null,
        5,
        [],
        {},
        '',
        'seven77',
        '🦊🦊🦊🦊🦊🦊🦊',
        'half \ud83e of a pair',
        'p'.repeat(1_025),
      ],
      setup_token: [5, [], {}],
    }),
    ...withoutPassword(),
    invalid(firewall, 'a listed address', { ip_address: '127.0.0.1' }, { status: 409, code: 'ip_exists' }),
    invalid(
      firewall,
      'a listed address in another notation',
      { ip_address: '::ffff:127.0.0.1' },
      { status: 409, code: 'ip_exists' },
    ),
    invalid(
      settings,
      'TOTP required without being set up',
      { ...settings.valid, totp_required_on_login: true },
      { status: 400, code: 'invalid_totp_config' },
    ),
  ];
}

/** Requests that need a password while none is set. */
const withoutPassword = (): BadRequest[] =>
  [
    ['POST', 'password/login'],
    ['POST', 'password/change'],
    ['DELETE', 'password'],
    ['POST', 'totp/setup/start'],
    ['POST', 'totp/setup/confirm'],
    ['POST', 'totp/verify'],
    ['POST', 'totp/disable'],
  ].flatMap(([method = '', path]) =>
    ['', '{', '{"password":5}', '{"password":"a long password","code":"123456"}'].map((body) => ({
      name: `${method} ${path} with ${body}`,
      method,
      path: `/api/dashboard-auth/${path}`,
      body,
      expected: { status: 400, code: 'password_not_configured', envelope: 'management' as const },
      isLogged: false,
    })),
  );

const invalid = (
  { method, path, code }: Endpoint,
  name: string,
  body: unknown,
  expected: { status: number; code: string } = { status: 400, code },
): BadRequest => ({
  name: `${method} ${path}: ${name}`,
  method,
  path,
  body: JSON.stringify(body),
  expected: { ...expected, envelope: 'management' },
  isLogged: false,
});
const withField = (endpoint: Endpoint, field: string, value: unknown) =>
  invalid(endpoint, `${field} is ${JSON.stringify(value)?.slice(0, 60)}`, { ...endpoint.valid, [field]: value });

const unknownFields = (endpoint: Endpoint): BadRequest[] => {
  const [[field, value] = ['', undefined]] = Object.entries(endpoint.valid);
  const camel = field.includes('_') ? field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : undefined;
  return [
    withField(endpoint, 'later', true),
    withField(endpoint, '', 1),
    withField(endpoint, 'constructor', 1),
    withField(endpoint, field.toUpperCase(), value),
    ...(camel === undefined ? [] : [withField(endpoint, camel, value)]),
    {
      ...invalid(endpoint, 'an own __proto__', {}),
      body: `{"__proto__":{"a":1},${JSON.stringify(endpoint.valid).slice(1)}`,
    },
  ];
};

/** Bodies that are not a JSON object, or have another content type. */
function notJson(endpoint: Endpoint): BadRequest[] {
  const { method, path, code, valid } = endpoint;
  const json = JSON.stringify(valid);
  const rejected = (name: string, body: string | Uint8Array, headers: Record<string, string> = {}): BadRequest => ({
    name: `${method} ${path}: ${name}`,
    method,
    path,
    body,
    headers: { 'content-type': 'application/json', ...headers },
    expected: { status: 400, code, envelope: 'management' },
    isLogged: false,
  });
  return [
    ...[
      '',
      ' ',
      'null',
      '5',
      'true',
      '"text"',
      '[]',
      `[${json}]`,
      '{',
      json.slice(0, -1),
      `${json},`,
      `${json}${json}`,
      `\0${json}`,
      `{'a':1}`,
      '{"a":NaN}',
      'a=b&c=d',
    ].map((body) => rejected(`the body ${JSON.stringify(body).slice(0, 40)}`, body)),
    rejected('UTF-16', Buffer.from(json, 'utf16le')),
    rejected('a thousand NULs', Buffer.alloc(1_000)),
    rejected('100,000 arrays', `{"later":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    rejected('100,000 objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
    rejected('more than a mebibyte', `{"later":"${'x'.repeat(1_048_576)}"}`),
    rejected('much more than a mebibyte', new Uint8Array(8 * 1_048_576).fill(0x20)),
    rejected('invalid gzip', json, { 'content-encoding': 'gzip' }),
    rejected('truncated gzip', gzipSync(json).subarray(0, -9), { 'content-encoding': 'gzip' }),
    rejected('gzip that decompresses to 8 MiB', gzipSync(Buffer.alloc(8 * 1_048_576, ' ')), {
      'content-encoding': 'gzip',
    }),
    rejected('invalid br', json, { 'content-encoding': 'br' }),
    rejected('br that decompresses to 4 MiB', brotliCompressSync(Buffer.alloc(4 * 1_048_576, ' ')), {
      'content-encoding': 'br',
    }),
    rejected('an unknown encoding', json, { 'content-encoding': 'rot13' }),
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/html',
      'application/octet-stream',
      'json',
      ';',
      'application/jsonp',
      'application/json5',
    ].map((type) => rejected(`the content type ${type}`, json, { 'content-type': type })),
  ];
}
