import type { BadRequest, Expected } from '../support/badRequest.ts';
import { message } from '../support/rawHttp.ts';

const request = (
  method: string,
  path: string,
  status: number,
  code: string,
  rest: Partial<BadRequest> = {},
): BadRequest => ({
  name: `${method} ${path.slice(0, 80)}`,
  steps: [message('', { method, path })],
  expected: { status, code, envelope: 'management' },
  isLogged: false,
  ...rest,
});

const IDS = [
  'unknown',
  '%ZZ',
  '%',
  '%00',
  '%20',
  'a%0d%0ab',
  '%F0%9F%A6%8A',
  '%ff%fe',
  '%ed%a0%80',
  '..%2f..%2fetc%2fpasswd',
  '..%5c..',
  '__proto__',
  'constructor',
  'null',
  '-1',
  "'%20OR%201=1--",
  '%3Cscript%3E',
  `${'a'.repeat(7_000)}`,
  '00000000-0000-4000-8000-000000000000',
  '$all',
];

/** Invalid ids, queries, methods and paths, and untrusted clients. @param keyId id of an existing key */
export const managementPaths = (keyId: string): BadRequest[] => [
  ...ids(),
  ...queries(),
  ...methods(keyId),
  ...paths(),
  ...untrustedClients(),
];

const ids = () =>
  IDS.flatMap((id) => [
    request('POST', `/api/accounts/${id}/pause`, 404, 'account_not_found'),
    request('POST', `/api/accounts/${id}/reactivate`, 404, 'account_not_found'),
    request('DELETE', `/api/accounts/${id}`, 404, 'account_not_found'),
    request('DELETE', `/api/api-keys/${id}`, 404, 'not_found'),
    request('POST', `/api/api-keys/${id}/regenerate`, 404, 'not_found'),
    request('PATCH', `/api/api-keys/${id}`, 404, 'not_found'),
    request('DELETE', `/api/firewall/ips/${id}`, 400, 'invalid_ip'),
  ]).concat(
    ['10.9.9.9', '2001:db8::1', '2001%3Adb8%3A%3A1', '%31%30.9.9.9'].map((ip) =>
      request('DELETE', `/api/firewall/ips/${ip}`, 404, 'ip_not_found'),
    ),
  );

const INTEGERS = ['-1', '1.5', '1e2', 'ten', '', '%20', '0x10', '%00', '%ZZ', 'NaN', '١'];
const TIMES = [
  'yesterday',
  '2030-13-01',
  '2030-02-30',
  '2030-01-01T99:00',
  '%00',
  '2030-01-01T00:00:00%2B99:00',
  '9'.repeat(3_000),
];
const queriesOf = (path: string, values: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(values)
    .flatMap(([name, invalid]) => invalid.map((value) => `${name}=${value}`))
    .map((query) => request('GET', `${path}?${query}`, 400, 'validation_error'));

const queries = () => [
  ...queriesOf('/api/request-logs', {
    limit: [...INTEGERS, '0', '1001', '99999999999999999999', '5&limit=6'],
    offset: [...INTEGERS, '9007199254740992', '0&offset=1'],
    since: [...TIMES, '', '1700000000', '2030-01-01&since=2031-01-01'],
    until: [...TIMES, ''],
    search: ['a&search=b'],
  }),
  ...queriesOf('/api/request-logs/options', { since: TIMES, until: TIMES }),
  ...queriesOf('/api/usage/history', { hours: [...INTEGERS, '0', '169', '1&hours=2'] }),
  ...queriesOf('/api/usage/window', { window: ['', 'tertiary', 'PRIMARY', '__proto__', 'primary&window=secondary'] }),
  ...queriesOf('/api/history', {
    limit: [...INTEGERS, '0', '201'],
    since: TIMES,
    cursor: ['', 'x', '%00', '-1', Buffer.from('before 0x5').toString('base64url'), 'a'.repeat(5_000)],
    search: ['a', '%F0%9F%A6%8A', 'aaa&search=bbb'],
    type: [Array(101).fill('x').join('&type=')],
  }),
  ...['/api/accounts', '/api/api-keys', '/api/firewall/ips', '/api/settings'].flatMap((path) =>
    queriesOf(path, { at: [...TIMES, '', '-1', '1.5', '99999999', '9'.repeat(400), '2999-01-01', '1&at=2'] }),
  ),
  ...['x', '-1', '1.5', '%00', '9'.repeat(100), '__proto__'].map((at) =>
    request('GET', `/api/history/${at}`, 400, 'validation_error'),
  ),
  ...['0', '99999999'].map((at) => request('GET', `/api/history/${at}`, 404, 'not_found')),
  ...IDS.map((id) => request('GET', `/api/accounts/${id}/trends`, 404, 'account_not_found')),
];

const methods = (keyId: string) =>
  Object.entries({
    '/health': ['POST', 'PUT', 'DELETE'],
    '/api/accounts': ['POST', 'PUT', 'DELETE', 'PATCH'],
    '/api/accounts/import': ['GET', 'PUT'],
    '/api/accounts/x/pause': ['GET', 'PUT', 'DELETE'],
    '/api/accounts/x/reactivate': ['GET', 'PATCH'],
    '/api/api-keys': ['PUT', 'DELETE', 'PATCH'],
    [`/api/api-keys/${keyId}`]: ['POST', 'PUT'],
    [`/api/api-keys/${keyId}/regenerate`]: ['GET', 'DELETE'],
    '/api/settings': ['POST', 'DELETE', 'PATCH'],
    '/api/firewall/ips': ['PUT', 'DELETE', 'PATCH'],
    '/api/firewall/ips/10.0.0.1': ['POST', 'PUT'],
    '/api/request-logs': ['POST', 'PUT', 'DELETE', 'PATCH'],
    '/api/request-logs/options': ['POST'],
    '/api/usage/summary': ['POST', 'DELETE'],
    '/api/dashboard/overview': ['PUT'],
    '/api/models': ['POST'],
    '/api/history': ['POST', 'DELETE'],
    '/api/history/1': ['PUT', 'PATCH', 'DELETE'],
    '/api/dashboard-auth/session': ['POST', 'DELETE'],
    '/api/dashboard-auth/password/login': ['GET', 'PUT'],
    '/api/dashboard-auth/password': ['GET', 'POST'],
  }).flatMap(([path, invalid]) => invalid.map((method) => request(method, path, 405, 'method_not_allowed')));

const paths = () =>
  [
    '/api',
    '/api/',
    '/api/nothing',
    '/api//settings',
    '/API/settings',
    '/api/Settings',
    '/api/settings/nothing',
    '/api/settings%00',
    '/api/%73ettings',
    '/api/accounts/x/nothing',
    '/api/accounts//pause',
    '/api/../etc/passwd',
    '/api/..%2f..%2fetc/passwd',
    '/health/nothing',
    '/%ZZ',
    '/api/%ZZ',
    '/api/firewall',
    '/api/firewall/ips/1/2',
    `/api/${'x/'.repeat(3_000)}`,
    '/api/<script>',
  ].flatMap((path) => ['GET', 'POST'].map((method) => request(method, path, 404, 'not_found')));

/** Clients that must not use the management API. */
const untrustedClients = () => {
  const rejected = (
    name: string,
    expected: Expected,
    path: string,
    headers: readonly (readonly [string, string])[],
    host?: string,
  ): BadRequest => ({
    name,
    steps: [
      message('{"ip_address":"10.1.1.1"}', {
        path,
        headers: [['content-type', 'application/json'], ...headers],
        ...(host !== undefined && { host }),
      }),
    ],
    expected: { ...expected, envelope: 'management' },
    isLogged: false,
  });
  const crossOrigin = { status: 403, code: 'cross_origin' };
  const unknown = { status: 401, code: 'authentication_required' };
  const ips = '/api/firewall/ips';
  return [
    ...['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'nonsense', ''].map((origin) =>
      rejected(`the origin "${origin}"`, crossOrigin, ips, [['origin', origin]]),
    ),
    ...['cross-site', 'same-site', 'Cross-Site'].map((site) =>
      rejected(`a request from ${site}`, crossOrigin, ips, [['sec-fetch-site', site]]),
    ),
    ...['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'cf-connecting-ip'].map((header) =>
      rejected(`a ${header}`, unknown, ips, [[header, '127.0.0.1']]),
    ),
    ...['evil.example', 'localhost.evil.example', '', '127.0.0.1.nip.io', 'a b', '[::1', '127.0.0.1:x'].map((host) =>
      rejected(`the host "${host}"`, unknown, ips, [], host),
    ),
    ...['a b', 'é', 'k'.repeat(256)].map((key) =>
      rejected(`the Idempotency-Key "${key.slice(0, 20)}"`, { status: 400, code: 'validation_error' }, ips, [
        ['idempotency-key', key],
      ]),
    ),
    rejected('a forwarded request for the settings', { status: 401, code: 'unauthorized' }, '/api/settings', [
      ['x-forwarded-for', '127.0.0.1'],
    ]),
  ];
};
