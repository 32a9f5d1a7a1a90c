import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { startManagement } from '../../../test/support/management.ts';
import { invite, join, withToken } from '../../../test/support/operators.ts';

test('shows a person what is known of them, and a token the lower of the two roles', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const { body: builtIn } = await administrator.call('GET', '/api/profile');
  expect(builtIn).toMatchObject({ id: 'administrator', email: null, role: 'administrator', is_built_in: true });
  const ada = await join(stage, administrator, 'Ada', 'operator');
  const own = {
    ...{ id: ada.id, name: 'Ada', email: 'ada@example.com', is_built_in: false },
    ...{ has_password: true, is_totp_configured: false, recovery_codes_left: 0 },
  };
  expect((await ada.call('GET', '/api/profile')).body).toEqual({ ...own, role: 'operator', token_id: null });
  const { body: made } = await ada.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } });
  const { body: asToken } = await withToken(stage, made.token).call('GET', '/api/profile');
  expect(asToken).toEqual({ ...own, role: 'member', token_id: made.id });
});

test('tells a sign-in page the ways to sign in once there are operators', async () => {
  const stage = await startManagement();
  const waysOf = async () => (await stage.call('GET', '/api/dashboard-auth/session')).body.signInWays;
  const administrator = await setUp(stage);
  expect(await waysOf()).toBeUndefined();
  const ada = await join(stage, administrator, 'Ada', 'administrator');
  const passkey = { origin: 'https://svc.example' };
  expect(await waysOf()).toEqual({ builtIn: true, password: true, setUp: false, passkey });
  await administrator.call('DELETE', '/api/dashboard-auth/password', { body: { password: 'correct horse' } });
  expect(await waysOf()).toEqual({ builtIn: false, password: true, setUp: false, passkey });
  expect((await ada.call('GET', '/api/profile')).status).toBe(200);
});

test('offers no sign-in by password or passkey to operators where local sign-in is off', async () => {
  const stage = await startManagement({ allowsLocalSignIn: false });
  await invite(await setUp(stage), 'Ada', 'administrator');
  const { signInWays } = (await stage.call('GET', '/api/dashboard-auth/session')).body;
  expect(signInWays).toEqual({ builtIn: true, password: false, setUp: false });
});

test('offers no passkeys where browsers would refuse them', async () => {
  const stage = await startManagement({ publicUrl: 'http://10.0.0.5:2455' });
  await invite(await setUp(stage), 'Ada', 'administrator');
  const { signInWays } = (await stage.call('GET', '/api/dashboard-auth/session')).body;
  expect(signInWays).toEqual({ builtIn: true, password: true, setUp: false });
});

test('shows everyone their own sessions, and administrators and auditors all', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const member = await join(stage, administrator, 'Mia', 'member');
  const auditor = await join(stage, administrator, 'Ada', 'auditor');
  const owners = async (client: Pick<typeof member, 'call'>) =>
    (await client.call('GET', '/api/sessions')).body.sessions.map(
      ({ operator }: { operator: { name: string } }) => operator.name,
    );
  expect(await owners(member)).toEqual(['Mia']);
  const all = ['Built-in administrator', 'Mia', 'Ada'].sort();
  expect((await owners(auditor)).sort()).toEqual(all);
  expect((await owners(administrator)).sort()).toEqual(all);
  // To see is not to end.
  const { sessions } = (await auditor.call('GET', '/api/sessions')).body;
  const foreign = sessions.find(({ operator }: { operator: { id: string } }) => operator.id === member.id);
  expect((await auditor.call('DELETE', `/api/sessions/${foreign.session_id}`)).status).toBe(404);
  expect(await owners(member)).toEqual(['Mia']);
});
