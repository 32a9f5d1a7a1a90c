import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { parseIp } from './ipAddress.ts';

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['  192.168.1.1\n', '192.168.1.1'],
])('IPv4 %j is %s', (text, normal) => expect(parseIp(text)).toBe(normal));

test.each([
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['2001:DB8::ABCD', '2001:db8::abcd'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  // RFC 5952 section 4.2.2: a single zero group is not shortened.
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  // RFC 5952 section 4.2.3: the longest run, and of equal ones the first.
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['1:0:0:0:0:0:0:0', '1::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
])('IPv6 %s is written %s', (text, normal) => expect(parseIp(text)).toBe(normal));

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:0a00:0001', '10.0.0.1'],
  ['0:0:0:0:0:ffff:255.255.255.255', '255.255.255.255'],
])('IPv4 mapped into IPv6, %s, is %s', (text, normal) => expect(parseIp(text)).toBe(normal));

test('an IPv4-compatible or translated address is not a mapped one', () => {
  expect(parseIp('::10.0.0.1')).toBe('::a00:1');
  expect(parseIp('::ffff:0:10.0.0.1')).toBe('::ffff:0:a00:1');
});

test.each([
  ['empty', ''],
  ['blank', '  '],
  ['a name', 'localhost'],
  ['an octet above 255', '10.0.0.256'],
  ['a leading zero', '010.0.0.1'],
  ['a double zero', '10.0.00.1'],
  ['three octets', '10.0.1'],
  ['a number', '167772161'],
  ['hexadecimal IPv4', '0x0a.0.0.1'],
  ['a port', '10.0.0.1:8080'],
  ['an IPv6 port', '[::1]:8080'],
  ['brackets', '[::1]'],
  ['a zone id', 'fe80::1%eth0'],
  ['a network', '10.0.0.0/8'],
  ['two gaps', '1::2::3'],
  ['three colons', ':::'],
  ['one colon', ':'],
  ['seven groups', '1:2:3:4:5:6:7'],
  ['nine groups', '1:2:3:4:5:6:7:8:9'],
  ['a gap of nothing', '1:2:3:4::5:6:7:8'],
  ['five digits', '1::12345'],
  ['a trailing colon', '1:2:3:4:5:6:7:'],
  ['IPv4 at the front', '10.0.0.1::'],
  ['IPv4 before a gap', '10.0.0.1::1'],
  ['IPv4 in the middle', '::10.0.0.1:1'],
  ['an octet with a leading zero in IPv6', '::ffff:010.0.0.1'],
  ['digits of another script', '١٠.0.0.1'],
])('rejects %s: %j', (_what, text) => expect(parseIp(text)).toBeUndefined());

const nearlyAddress = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4Extended(),
  fc.ipV4().map((ipv4) => `::ffff:${ipv4}`),
  fc.tuple(fc.ipV6(), fc.ipV4()).map(([ipv6, ipv4]) => ipv6.replace(/[^:]*$/, ipv4)),
  fc.tuple(fc.ipV4(), fc.ipV6()).map(([ipv4, ipv6]) => ipv6.replace(/^[^:]*/, ipv4)),
  fc
    .array(fc.constantFrom('0', '00', '1', '0001', 'ffff', 'F', '', ':', '1.2.3.4'), { maxLength: 9 })
    .map((groups) => groups.join(':')),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF:.%[]/'), maxLength: 40 }),
);

const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%');

test('accepts exactly what Node accepts, except for zones', () => {
  fc.assert(
    fc.property(nearlyAddress, (text) => {
      expect(parseIp(text) !== undefined, text).toBe(isAddress(text));
    }),
    runs(2_000),
  );
});

test('normalising is idempotent', () => {
  fc.assert(
    fc.property(nearlyAddress.filter(isAddress), (text) => {
      const normal = parseIp(text) ?? '';
      expect(isIP(normal)).not.toBe(0);
      expect(parseIp(normal)).toBe(normal);
      expect(parseIp(normal.toUpperCase())).toBe(normal);
    }),
    runs(1_000),
  );
});

test('formats IPv6 addresses as the URL standard does, except mapped ones', () => {
  fc.assert(
    fc.property(
      nearlyAddress.filter((text) => isAddress(text) && isIP(text) === 6),
      (text) => {
        const spelled = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        const normal = parseIp(text) ?? '';
        if (isIP(normal) === 4) expect(new URL(`http://[::ffff:${normal}]/`).hostname.slice(1, -1)).toBe(spelled);
        else expect(normal).toBe(spelled);
      },
    ),
    runs(1_000),
  );
});
