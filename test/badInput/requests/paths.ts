import { agentText } from '../support/agentBody.ts';
import { type BadRequest, PATHS } from '../support/badRequest.ts';
import { type HeadOptions, message } from '../support/rawHttp.ts';

const notFound = (path: string, envelope: 'proxy' | 'management' = 'proxy'): BadRequest => ({
  name: `no such path: ${path.slice(0, 60)}`,
  steps: [message(agentText, { path })],
  expected: { status: 404, code: 'not_found', envelope },
  isLogged: false,
});

/** Valid bodies at invalid paths, with invalid methods or upgrades. */
export const paths = (): BadRequest[] => [
  ...[
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/responsesx',
    '/v1/Responses',
    '/v1//responses',
    '/v1/responses//',
    '/v1/responses/nothing',
    '/v1/responses/resp_123/cancel',
    '/v1/responses%00',
    '/v1/responses%20',
    '/v1/%72esponses',
    '/v1/responses%2F',
    '/v1/responses%ZZ',
    '/v1/responses%',
    '/v1/responses;a=b',
    '/v1/responses\\',
    '/v1/./responses',
    '/v1/../v1/responses',
    '/v1/..%2f..%2fapi/settings',
    '/v1/../api/settings',
    '/v1/../../../../etc/passwd',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
    '/v1/%c0%ae%c0%ae/etc/passwd',
    `/v1/${'a/'.repeat(4_000)}`,
    '/v1/<script>alert(1)</script>',
    '/backend-api',
    '/backend-api/',
    '/backend-api/svc',
    '/backend-api/svc/',
    '/backend-api/svc/nothing',
    '/backend-api/SVC/responses',
    '/backend-api/svc/../../v1/responses',
    '/backend-api/other/responses',
    '/backend-api/svc/responses/../compacts',
  ].map((path) => notFound(path)),
  ...[
    '/',
    '/responses',
    '/V1/responses',
    '//v1/responses',
    '/%76%31/responses',
    '/api/../v1/responses',
    '/v1beta/responses',
    '/etc/passwd',
    '/.env',
    '/index.html',
    '*',
  ].map((path) => notFound(path, 'management')),
  ...['http://localhost/v1/nothing', 'http://localhost/v1/../responses', 'https://other.example:1/backend-api/x'].map(
    (path) => notFound(path),
  ),
  ...[
    'http://[::/v1/responses',
    'http://[/v1/responses',
    'http://a:b:c/v1/responses',
    'http://local%00host/v1/responses',
    'http:/v1/responses',
    'ftp://localhost/v1/responses',
    'mailto:a@b',
    'localhost:80',
    '?a=b',
    'v1/responses',
    '/v1/responses#part',
    '//a@[::#/v1/responses',
    '/v1/responses\xff',
  ].map((path) => ({
    name: `the target ${path}`,
    steps: [message(agentText, { path })],
    expected: { status: 400, code: 'invalid_request_error', param: null },
    isLogged: false,
  })),
  ...methods(),
  ...upgrades(),
];

const methods = (): BadRequest[] =>
  Object.values(PATHS).flatMap((path) =>
    ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'].map((method) => ({
      name: `${method} ${path}`,
      steps: [message('', { method, path })],
      expected: { status: 405, code: 'method_not_allowed', ...(method === 'HEAD' && { envelope: 'none' as const }) },
      isLogged: false,
    })),
  );

const UPGRADE = {
  headers: [
    ['connection', 'Upgrade'],
    ['sec-websocket-version', '13'],
    ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ],
} satisfies HeadOptions;

/** Upgrades get a 426 (docs/clients.md#codex-falls-back-from-websocket-on-426-only) */
const upgrades = (): BadRequest[] => [
  ...[...Object.values(PATHS), '/backend-api/codex/responses', '/v1/responses/', '/v1/responses?x=y'].flatMap((path) =>
    ['websocket', 'WebSocket'].map((protocol) => ({
      name: `an upgrade to ${protocol} on ${path}`,
      steps: [message('', { ...UPGRADE, method: 'GET', path, headers: [...UPGRADE.headers, ['upgrade', protocol]] })],
      expected: { status: 426, code: 'upgrade_required' },
      isLogged: false,
    })),
  ),
  {
    name: 'CONNECT',
    steps: [message('', { method: 'CONNECT', path: 'localhost:22' })],
    expected: { status: 405, code: 'method_not_allowed' },
    isLogged: false,
  },
];
