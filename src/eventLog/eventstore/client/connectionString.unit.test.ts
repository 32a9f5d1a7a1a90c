import { expect, test } from 'vitest';
import { describeHosts, parseConnectionString } from './connectionString.ts';

test('one node with TLS is the plainest form', () => {
  expect(parseConnectionString('esdb://db.example.org')).toEqual({
    hosts: [{ address: 'db.example.org', port: 2113 }],
    isDnsName: false,
    tls: true,
    options: {},
  });
});

test('user and password are decoded and shown nowhere', () => {
  const settings = parseConnectionString('esdb://svc:p%40ss%3Aw%2Ford@10.0.0.5:2114?tls=false');
  expect(settings).toMatchObject({ credentials: { username: 'svc', password: 'p@ss:w/ord' }, tls: false });
  expect(describeHosts(settings)).toBe('10.0.0.5:2114');
});

test('the nodes of a cluster, or the name that stands for them, pass through', () => {
  expect(parseConnectionString('esdb://h1:2113,h2:2114,[::1]:2115').hosts).toEqual([
    { address: 'h1', port: 2113 },
    { address: 'h2', port: 2114 },
    { address: '[::1]', port: 2115 },
  ]);
  expect(parseConnectionString('esdb+discover://cluster.dns').isDnsName).toBe(true);
});

test('options count in any spelling of their names and are passed on', () => {
  const text =
    'esdb://h1/?Node-Preference=read-only-replica&keep_alive_interval=-1&maxDiscoverAttempts=3&connectionName=a%20b';
  expect(parseConnectionString(text).options).toEqual({
    nodePreference: 'read_only_replica',
    keepAliveInterval: -1,
    maxDiscoverAttempts: 3,
    connectionName: 'a b',
  });
});

test('certificates are named by files', () => {
  expect(parseConnectionString('esdb://h1?tlsCAFile=./ca.pem&userCertFile=/u.crt&userKeyFile=/u.key')).toMatchObject({
    caFile: './ca.pem',
    userCertificate: { certFile: '/u.crt', keyFile: '/u.key' },
  });
});

test.each([
  ['another protocol', 'http://admin:hunter2@h1:2113'],
  ['no host', 'esdb://admin:hunter2@'],
  ['a port that is none', 'esdb://admin:hunter2@h1:99999'],
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
  ['a flag that is none', 'esdb://admin:hunter2@h1?tls=hunter2'],
  ['a number that is none', 'esdb://admin:hunter2@h1?gossipTimeout=hunter2'],
  ['a node preference that is none', 'esdb://admin:hunter2@h1?nodePreference=hunter2'],
  ['an option without effect', 'esdb://admin:hunter2@h1?tlsVerifyCert=false'],
  ['an option that svc relies on', 'esdb://admin:hunter2@h1?throwOnAppendFailure=false'],
  ['certificates without TLS', 'esdb://admin:hunter2@h1?tls=false&tlsCAFile=hunter2'],
  ['half of a user certificate', 'esdb://admin:hunter2@h1?userCertFile=hunter2'],
  ['several names to discover', 'esdb+discover://admin:hunter2@h1,h2'],
])('%s is refused without a word of the string', (_, text) => {
  expect(() => parseConnectionString(text)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONNECTION_STRING',
      message: expect.not.stringMatching(/hunter2|admin/),
    }),
  );
});
