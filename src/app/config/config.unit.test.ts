import { describe, expect, test } from 'vitest';
import { InvalidConfig, readConfig } from './config.ts';

test('uses the defaults when nothing is set', () =>
  expect(readConfig({})).toMatchObject({
    SVC_HOST: '127.0.0.1',
    SVC_PORT: 2455,
    SVC_OAUTH_CALLBACK_PORT: 1455,
    SVC_DATA_DIR: './data',
    SVC_USAGE_REFRESH_SECONDS: 60,
    SVC_STREAM_IDLE_TIMEOUT_SECONDS: 300,
    SVC_DRAIN_SECONDS: 30,
    SVC_CODEX_ALIASES: true,
    FIREWALL_TRUST_PROXY_HEADERS: false,
    FIREWALL_TRUSTED_PROXY_CIDRS: [],
    FIREWALL_XFF_MODE: 'first_valid',
  }));

test('treats an empty variable as not set', () => expect(readConfig({ SVC_PORT: '' }).SVC_PORT).toBe(2455));

test.each(['./~', './$data', '/srv/~svc', 'data'])('takes the path %s as it is', (path) =>
  expect(readConfig({ SVC_DATA_DIR: path }).SVC_DATA_DIR).toBe(path),
);

test('removes the trailing slash of a base URL', () =>
  expect(readConfig({ SVC_UPSTREAM_BASE_URL: 'http://localhost:1/backend-api/' }).SVC_UPSTREAM_BASE_URL).toBe(
    'http://localhost:1/backend-api',
  ));

test('splits and trims lists', () =>
  expect(readConfig({ FIREWALL_TRUSTED_PROXY_CIDRS: ' 10.0.0.0/8, ::1 ,' }).FIREWALL_TRUSTED_PROXY_CIDRS).toEqual([
    '10.0.0.0/8',
    '::1',
  ]));

describe('an invalid value', () => {
  test.each([
    ['SVC_PORT', '65536'],
    ['SVC_PORT', 'http'],
    ['SVC_DATA_DIR', '~/svc'],
    ['SVC_DATA_DIR', '$HOME/svc'],
    ['SVC_PRICES_FILE', '~svc/prices.json'],
    ['SVC_DRAIN_SECONDS', '-1'],
    ['SVC_CLIENT_VERSION', 'newest'],
    ['SVC_CLIENT_VERSION', '0.169.0&a=b'],
    ['SVC_CODEX_ALIASES', 'maybe'],
    ['SVC_UPSTREAM_BASE_URL', 'ftp://x'],
    ['SVC_UPSTREAM_BASE_URL', 'nonsense'],
    ['SVC_NODE_ID', 'Has_Underscore'],
    ['FIREWALL_TRUSTED_PROXY_CIDRS', '10.0.0.0/33'],
    ['FIREWALL_TRUSTED_PROXY_CIDRS', 'localhost'],
    ['FIREWALL_XFF_MODE', 'leftmost'],
  ])('%s=%s is rejected by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(InvalidConfig);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .+`));
  });

  test.each([
    ['SVC_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['SVC_DRAIN_SECONDS', '1.5', 'must be a whole number from 0 to 3600'],
    ['SVC_CODEX_ALIASES', 'maybe', 'must be true or false'],
    ['SVC_DATA_DIR', '~/svc', 'must not begin with ~ or $, which only a shell replaces'],
    ['FIREWALL_XFF_MODE', 'leftmost', 'must be first_valid or rightmost_untrusted'],
  ])('%s=%s is rejected with the valid values', (name, value, what) =>
    expect(() => readConfig({ [name]: value })).toThrow(`${name}: ${what}`),
  );

  test('gets a line of its own', () => {
    try {
      readConfig({ SVC_PORT: 'x', SVC_DRAIN_SECONDS: 'y' });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message.split('\n')).toHaveLength(2);
    }
  });
});
