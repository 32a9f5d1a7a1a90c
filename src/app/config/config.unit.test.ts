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

test('reads the proxy variables in both spellings, of which the lower case wins', () => {
  expect(readConfig({ https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1', NO_PROXY: 'a' })).toMatchObject({
    HTTPS_PROXY: 'http://lower:1',
    NO_PROXY: 'a',
  });
  expect(readConfig({ https_proxy: '', HTTPS_PROXY: 'http://upper:1' }).HTTPS_PROXY).toBe('http://upper:1');
});

test('refuses the address of a proxy by the name that was used, without its password', () => {
  const read = (env: Record<string, string>) => () => readConfig(env);
  expect(read({ https_proxy: 'ftp://user:secret@proxy:1' })).toThrow(/^https_proxy: must be the address of an http/);
  expect(read({ SVC_PROXY_URL: 'http://user:secret@proxy/x' })).toThrow('SVC_PROXY_URL: must end after the port');
  expect(read({ HTTP_PROXY: 'http://user:secret%@proxy' })).not.toThrow(/secret/);
});

describe('an invalid value', () => {
  test.each([
    ['SVC_PROXY_URL', 'ftp://proxy'],
    ['HTTPS_PROXY', 'http://'],
    ['http_proxy', 'http://proxy:99999'],
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
    ['SVC_METRICS_ALLOW', 'prometheus'],
    ['SVC_METRICS_ALLOW', '10.0.0.1,10.0.0.0/33'],
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

describe('a variable that begins with SVC_ and is no setting', () => {
  test.each([
    ['SVC_PROT', 'SVC_PORT'],
    ['SVC_DATADIR', 'SVC_DATA_DIR'],
    ['SVC_UPSTREAM_URL', 'SVC_UPSTREAM_BASE_URL'],
    ['SVC_Port', 'SVC_PORT'],
  ])('%s is rejected with the nearest setting, %s', (name, nearest) => {
    expect(() => readConfig({ [name]: 'a secret' })).toThrow(InvalidConfig);
    expect(() => readConfig({ [name]: 'a secret' })).toThrow(
      new RegExp(`^${name}: is not a setting of svc\\. The nearest one is ${nearest}\\.$`),
    );
  });

  test.each(['SVC_API_KEYS', 'SVC_TESTS', 'SVC_SERVICE', 'SVC_PORT_2455', 'SVC_'])(
    '%s is rejected without a guess',
    (name) => {
      expect(() => readConfig({ [name]: 'a secret' })).toThrow(
        new RegExp(`^${name}: is not a setting of svc\\. docs/settings\\.md lists all\\.$`),
      );
    },
  );

  test('is rejected together with invalid values', () =>
    expect(() => readConfig({ SVC_PROT: '1', SVC_PORT: 'x' })).toThrow(/^SVC_PORT: must be .*\nSVC_PROT: is not/));

  test('is ignored while it is empty, or of another program', () => {
    const env = { SVC_OLD: '', SVC_API_KEY: 'sk-svc-1', SVC_TEST_RUNS: '20', SVCOTHER: '1', PORT: '1', svc_port: '1' };
    expect(readConfig(env)).toEqual(readConfig({}));
  });
});

test('ignores what Kubernetes sets for a Service called svc', () => {
  const env = {
    SVC_SERVICE_HOST: '10.0.0.7',
    SVC_SERVICE_PORT: '2455',
    SVC_SERVICE_PORT_HTTP: '2455',
    SVC_SERVICE_PORT_HTTP_METRICS: '9090',
    SVC_PORT: 'tcp://10.0.0.7:2455',
    SVC_PORT_2455_TCP: 'tcp://10.0.0.7:2455',
    SVC_PORT_2455_TCP_PROTO: 'tcp',
    SVC_PORT_2455_TCP_PORT: '2455',
    SVC_PORT_2455_TCP_ADDR: '10.0.0.7',
    SVC_PORT_53_UDP: 'udp://10.0.0.7:53',
    SVC_PORT_53_UDP_ADDR: '10.0.0.7',
    SVC_PORT_5_SCTP_PROTO: 'sctp',
    // A second Service, called svc-oauth-callback.
    SVC_OAUTH_CALLBACK_SERVICE_HOST: '10.0.0.8',
    SVC_OAUTH_CALLBACK_PORT: 'tcp://10.0.0.8:1455',
    SVC_OAUTH_CALLBACK_PORT_1455_TCP: 'tcp://10.0.0.8:1455',
  };
  expect(readConfig(env)).toEqual(readConfig({}));
  expect(readConfig({ ...env, SVC_PORT: '80' }).SVC_PORT).toBe(80);
});

test('requires 16 characters of a setup token', () => {
  for (const token of ['short', 'fifteen letters', `${' '.repeat(10)}fifteen letters`]) {
    expect(() => readConfig({ SVC_SETUP_TOKEN: token })).toThrow(/^SVC_SETUP_TOKEN: must have at least 16 characters/);
    expect(() => readConfig({ SVC_SETUP_TOKEN: token })).not.toThrow(token);
  }
  expect(readConfig({ SVC_SETUP_TOKEN: 'sixteen letters!' }).SVC_SETUP_TOKEN).toBe('sixteen letters!');
});

describe('sign-in by OIDC', () => {
  const complete = {
    SVC_PUBLIC_URL: 'https://svc.example',
    SVC_OIDC_ISSUER: 'https://issuer.example/realm/',
    SVC_OIDC_CLIENT_ID: 'svc',
    SVC_OIDC_CLIENT_SECRET: 'secret',
  };
  const linesOf = (env: Record<string, string | undefined>) => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };

  test('takes the issuer as it is, because tokens name it exactly so', () => {
    expect(readConfig(complete).SVC_OIDC_ISSUER).toBe('https://issuer.example/realm/');
    expect(readConfig({ ...complete, SVC_OIDC_ISSUER: 'http://localhost:8080' }).SVC_OIDC_ISSUER).toBe(
      'http://localhost:8080',
    );
  });

  test.each(['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID', 'SVC_OIDC_CLIENT_SECRET', 'SVC_PUBLIC_URL'])(
    'refuses the others without %s, by its name',
    (name) => {
      const lines = linesOf({ ...complete, [name]: undefined });
      expect(lines).toEqual([expect.stringMatching(new RegExp(`^${name}: is missing`))]);
      expect(lines.join()).not.toContain('secret"');
    },
  );

  test.each([
    ['SVC_OIDC_ISSUER', 'http://issuer.example', 'must be an https URL'],
    ['SVC_OIDC_ISSUER', 'issuer.example', 'must be an https URL'],
    ['SVC_OIDC_ISSUER', 'https://user@issuer.example', 'must have no query, fragment or credentials'],
    ['SVC_OIDC_ISSUER', 'https://issuer.example/?a', 'must have no query, fragment or credentials'],
    ['SVC_OIDC_ISSUER', 'https://issuer.example/.well-known/openid-configuration', 'must be the issuer'],
    ['SVC_OIDC_SCOPES', 'email', 'must contain openid'],
    ['SVC_OIDC_SCOPES', 'openid "email"', 'must be scopes'],
    ['SVC_OIDC_ROLES', 'admins', 'has the rule "admins"'],
    ['SVC_LOCAL_SIGN_IN', 'maybe', 'must be true or false'],
  ])('refuses %s=%s', (name, value, problem) => {
    const lines = linesOf({ ...complete, [name]: value });
    expect(lines).toEqual([expect.stringContaining(`${name}: ${problem}`)]);
  });

  test('refuses settings that have no effect alone', () => {
    expect(linesOf({ SVC_LOCAL_SIGN_IN: 'false' })).toEqual([
      expect.stringMatching(/^SVC_LOCAL_SIGN_IN: cannot be false without OIDC/),
    ]);
    expect(linesOf({ ...complete, SVC_LOCAL_SIGN_IN: 'false' })).toEqual([]);
    expect(linesOf({ ...complete, SVC_OIDC_ROLE_CLAIM: 'roles' })).toEqual([
      expect.stringMatching(/^SVC_OIDC_ROLES: is missing/),
    ]);
    expect(linesOf({ SVC_OIDC_ROLES: 'a=member' }).map((line) => line.split(':')[0])).toEqual([
      'SVC_OIDC_ISSUER',
      'SVC_OIDC_CLIENT_ID',
      'SVC_OIDC_CLIENT_SECRET',
      'SVC_PUBLIC_URL',
    ]);
  });
});
