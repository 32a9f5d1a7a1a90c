import { expect, test } from 'vitest';
import { at, ip, NOW, specification } from '../../../test/support/specification.ts';
import { firewall as rules } from './decide.ts';
import { IpAllowed, IpRevoked } from './events.ts';

const firewall = specification(rules);
const home = ip('10.0.0.1');
const office = ip('2001:db8::1');

test('an address that is not listed can be allowed', () =>
  firewall.when({ type: 'AllowIp', ip: '10.0.0.1' }).then(IpAllowed({ ip: home })));

test('an address is kept in its normal form', () =>
  firewall.when({ type: 'AllowIp', ip: ' 2001:0DB8:0:0::1 ' }).then(IpAllowed({ ip: office })));

test('an address cannot be allowed twice', () =>
  firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'AllowIp', ip: '10.0.0.1' })
    .refuses('ip_exists', { ip: home }));

test('one address in two spellings is one address', () =>
  firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'AllowIp', ip: '::ffff:10.0.0.1' })
    .refuses('ip_exists'));

test('an address can be revoked in another spelling than the one it was allowed in', () =>
  firewall
    .given(IpAllowed({ ip: office }))
    .when({ type: 'RevokeIp', ip: '2001:db8:0:0:0:0:0:1' })
    .then(IpRevoked({ ip: office })));

test('an address that is not listed cannot be revoked', () =>
  firewall
    .given(IpAllowed({ ip: home }), IpRevoked({ ip: home }))
    .when({ type: 'RevokeIp', ip: '10.0.0.1' })
    .refuses('ip_not_found', { ip: home }));

test('what is no address is refused with the text that was given', () => {
  firewall.when({ type: 'AllowIp', ip: '10.0.0.256' }).refuses('invalid_ip', { given: '10.0.0.256' });
  firewall.when({ type: 'RevokeIp', ip: 'example.org' }).refuses('invalid_ip', { given: 'example.org' });
});

test('an address that was revoked can be allowed again', () =>
  firewall
    .given(IpAllowed({ ip: home }), IpRevoked({ ip: home }))
    .when({ type: 'AllowIp', ip: '10.0.0.1' })
    .then(IpAllowed({ ip: home })));

test('removing the last address opens the proxy again', () => {
  const state = firewall
    .given(IpAllowed({ ip: home }))
    .when({ type: 'RevokeIp', ip: '10.0.0.1' })
    .state();
  expect(state.size).toBe(0);
});

test('each address remembers when it was allowed, in the order of being added', () => {
  const state = firewall.given(at(NOW, IpAllowed({ ip: home })), IpAllowed({ ip: office })).state();
  expect([...state.keys()]).toEqual([home, office]);
  expect(state.get(home)).toEqual({ allowedAt: NOW });
});

test('a fold leaves the state before it as it was', () => {
  const before = firewall.given(IpAllowed({ ip: home })).state();
  const event = { ...IpRevoked({ ip: home }), time: NOW, position: 2, stream: 'firewall-main', revision: 1 };
  rules.evolve(before, event as Parameters<typeof rules.evolve>[1]);
  expect(before.has(home)).toBe(true);
});
