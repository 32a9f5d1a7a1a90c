import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { completed, startManagement } from '../../../test/support/management.ts';
import { join } from '../../../test/support/operators.ts';

test('shows names of people, and what their tokens may do, as of the moment', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'operator');
  const { body: token } = await ada.call('POST', '/api/tokens', { body: { name: 'deploy', role: 'operator' } });
  await ada.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  await stage.append(completed({ owner: ada.id, requestedAt: stage.clock.now }));
  const at = stage.hot.state.position;
  const paths = [
    '/api/tokens',
    `/api/tokens/${token.id}`,
    '/api/history?type=IpAllowed',
    `/api/history/${at - 1}`,
    '/api/blame/firewall-main',
    '/api/operators',
    '/api/usage/breakdown?group_by=owner',
  ];
  const answers = async (query: string) =>
    Promise.all(
      paths.map(async (path) => {
        const { body } = await administrator.call('GET', `${path}${query && (path.includes('?') ? '&' : '?')}${query}`);
        return body;
      }),
    );
  const then = await answers('');
  expect(then[0].tokens[0]).toMatchObject({ owner: { name: 'Ada', role: 'operator' }, is_valid: true });
  expect(then[2].events[0].actor.name).toBe('Ada');
  expect(then[6].groups[0].label).toBe('Ada');

  await administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { name: 'Ada B.', role: 'auditor' } });
  await administrator.call('PATCH', `/api/operators/${ada.id}`, { body: { is_active: false } });
  const [tokens, , history] = await answers('');
  expect(tokens.tokens[0]).toMatchObject({ owner: { name: 'Ada B.', role: null }, is_valid: false });
  expect(history.events[0].actor.name).toBe('Ada B.');
  expect(await answers(`at=${at}`)).toEqual(then);
});
