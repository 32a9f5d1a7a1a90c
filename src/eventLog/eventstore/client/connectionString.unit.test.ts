import { expect, test } from 'vitest';
import { describeHosts, parseConnectionString } from './connectionString.ts';

test('reads the simplest form as one node with TLS', () => {
  expect(parseConnectionString('esdb://db.example.org')).toEqual({
    hosts: [{ address: 'db.example.org', port: 2113 }],
    isDnsName: false,
    tls: true,
    options: {},
  });
});

test('decodes user and password and does not show them', () => {
  const settings = parseConnectionString('esdb://svc:p%40ss%3Aw%2Ford@10.0.0.5:2114?tls=false');
  expect(settings).toMatchObject({ credentials: { username: 'svc', password: 'p@ss:w/ord' }, tls: false });
  expect(describeHosts(settings)).toBe('10.0.0.5:2114');
});

test('reads the nodes of a cluster, or the DNS name of a cluster', () => {
  expect(parseConnectionString('esdb://h1:2113,h2:2114,[::1]:2115').hosts).toEqual([
    { address: 'h1', port: 2113 },
    { address: 'h2', port: 2114 },
    { address: '[::1]', port: 2115 },
  ]);
  expect(parseConnectionString('esdb+discover://cluster.dns').isDnsName).toBe(true);
});

test.each([[''], ['+discover']])('reads kurrentdb%s:// like esdb', (discover) => {
  const rest = `${discover}://svc:p%40ss@h1:2114?tls=false`;
  expect(parseConnectionString(`kurrentdb${rest}`)).toEqual(parseConnectionString(`esdb${rest}`));
});

test('reads options in any spelling of their names', () => {
  const text =
    'esdb://h1/?Node-Preference=read-only-replica&keep_alive_interval=-1&maxDiscoverAttempts=3&connectionName=a%20b';
  expect(parseConnectionString(text).options).toEqual({
    nodePreference: 'read_only_replica',
    keepAliveInterval: -1,
    maxDiscoverAttempts: 3,
    connectionName: 'a b',
  });
});

test('reads the paths of certificate files', () => {
  expect(parseConnectionString('esdb://h1?tlsCAFile=./ca.pem&userCertFile=/u.crt&userKeyFile=/u.key')).toMatchObject({
    caFile: './ca.pem',
    userCertificate: { certFile: '/u.crt', keyFile: '/u.key' },
  });
});

test.each([
  ['another protocol', 'http://admin:hunter2@h1:2113'],
  ['no host', 'esdb://admin:hunter2@'],
  ['a port out of range', 'esdb://admin:hunter2@h1:99999'],
  ['a word for a port', 'esdb://admin:hunter2@h1:http'],
  ['a password with an unescaped @', 'esdb://admin:hunter2@x@h1'],
  ['a password with an unescaped ?', 'esdb://admin:hunter2?x@h1'],
  ['a password with an unescaped /', 'esdb://admin:hunter2/x@h1'],
  ['a password with an unescaped :', 'esdb://admin:hunter2:x@h1'],
  ['a password with half an escape', 'esdb://admin:hunter2%4@h1'],
  ['a user without a password', 'esdb://hunter2@h1'],
  ['an unknown option', 'esdb://admin:hunter2@h1?hunter2=1'],
  ['an option without a value', 'esdb://admin:hunter2@h1?tls'],
  ['an option given twice', 'esdb://admin:hunter2@h1?tls=true&tls=false'],
  ['an invalid flag', 'esdb://admin:hunter2@h1?tls=hunter2'],
  ['an invalid number', 'esdb://admin:hunter2@h1?gossipTimeout=hunter2'],
  ['an invalid node preference', 'esdb://admin:hunter2@h1?nodePreference=hunter2'],
  ['an option without effect', 'esdb://admin:hunter2@h1?tlsVerifyCert=false'],
  ['an option that svc relies on', 'esdb://admin:hunter2@h1?throwOnAppendFailure=false'],
  ['certificates without TLS', 'esdb://admin:hunter2@h1?tls=false&tlsCAFile=hunter2'],
  ['half of a user certificate', 'esdb://admin:hunter2@h1?userCertFile=hunter2'],
  ['several names to discover', 'esdb+discover://admin:hunter2@h1,h2'],
])('refuses %s without showing any of it', (_, text) => {
  expect(() => parseConnectionString(text)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONNECTION_STRING',
      message: expect.not.stringMatching(/hunter2|admin/),
    }),
  );
});
