import { expect, test } from 'vitest';
import { checkedLookup, ForbiddenAddress, isForbiddenAddress, requireAllowedHost } from './forbiddenAddresses.ts';

test.each([
  '169.254.169.254',
  '169.254.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '64:ff9b::169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
])('sends nothing to %s', (address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each([
  '127.0.0.1',
  '::1',
  '10.0.0.1',
  '169.253.255.255',
  '100.100.100.201',
  'fec0::1',
  '64:ff9b::10.0.0.1',
  'fd00:ec2::24',
  '2001:db8::1',
  'a.example',
  '',
])('sends to %s', (address) => {
  expect(isForbiddenAddress(address)).toBe(false);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]:8080/',
  'http://2852039166/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://[::ffff:169.254.169.254]/',
])('refuses the URL %s by its host', (url) => {
  expect(() => requireAllowedHost(new URL(url))).toThrow(ForbiddenAddress);
});

test.each([{ all: true }, { all: false }])('refuses a name by the addresses that it has, with %o', async (options) => {
  const resolve = (name: string) =>
    new Promise<Error | null>((done) => {
      checkedLookup(name, options, (error) => done(error));
    });
  expect(await resolve('169.254.10.10')).toBeInstanceOf(ForbiddenAddress);
  expect(await resolve('127.0.0.1')).toBeNull();
});
