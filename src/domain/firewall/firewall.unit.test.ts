import { expect, test } from 'vitest';
import { at, ip, NOW, specification } from '../../../test/support/specification.ts';
import { firewall as rules } from './decide.ts';
import { IpAllowed, IpRevoked } from './events.ts';

const firewall = specification(rules);
const home = ip('10.0.0.1');
const office = ip('2001:db8::1');

test('allows an address', () => firewall.when({ type: 'AllowIp', ip: '10.0.0.1' }).then(IpAllowed({ ip: home })));

test('stores an address in canonical form', () =>
  firewall.when({ type: 'AllowIp', ip: ' 2001:0DB8:0:0::1 ' }).then(IpAllowed({ ip: office })));

test('refuses to allow an address twice', () =>
  firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'AllowIp', ip: '10.0.0.1' })
    .refuses('ip_exists', { ip: home }));

test('treats two spellings as the same address', () =>
  firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'AllowIp', ip: '::ffff:10.0.0.1' })
    .refuses('ip_exists'));

test('revokes an address in another spelling', () =>
  firewall
    .given(IpAllowed({ ip: office }))
    .when({ type: 'RevokeIp', ip: '2001:db8:0:0:0:0:0:1' })
    .then(IpRevoked({ ip: office })));

test('refuses to revoke an address that is not listed', () =>
  firewall
    .given(IpAllowed({ ip: home }), IpRevoked({ ip: home }))
    .when({ type: 'RevokeIp', ip: '10.0.0.1' })
    .refuses('ip_not_found', { ip: home }));

test('refuses invalid addresses with the given text', () => {
  firewall.when({ type: 'AllowIp', ip: '10.0.0.256' }).refuses('invalid_ip', { given: '10.0.0.256' });
  firewall.when({ type: 'RevokeIp', ip: 'example.org' }).refuses('invalid_ip', { given: 'example.org' });
});

test('allows a revoked address again', () =>
  firewall
    .given(IpAllowed({ ip: home }), IpRevoked({ ip: home }))
    .when({ type: 'AllowIp', ip: '10.0.0.1' })
    .then(IpAllowed({ ip: home })));

test('removing the last address allows every address again', () => {
  const state = firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'RevokeIp', ip: '10.0.0.1' })
    .state();
  expect(state.size).toBe(0);
});

test('keeps the time of each address, in order', () => {
  const state = firewall.given(at(NOW, IpAllowed({ ip: home })), IpAllowed({ ip: office })).state();
  expect([...state.keys()]).toEqual([home, office]);
  expect(state.get(home)).toEqual({ allowedAt: NOW });
});

test('does not change the previous state', () => {
  const before = firewall.given(IpAllowed({ ip: home })).state();
  const event = { ...IpRevoked({ ip: home }), time: NOW, position: 2, stream: 'firewall-main', revision: 1 };
  rules.evolve(before, event as Parameters<typeof rules.evolve>[1]);
  expect(before.has(home)).toBe(true);
});
