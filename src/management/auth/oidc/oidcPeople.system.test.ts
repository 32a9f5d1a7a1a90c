import { expect, onTestFinished, test, vi } from 'vitest';
import { type Browser, setUp } from '../../../../test/support/browser.ts';
import { oidcVisitor } from '../../../../test/support/oidc/oidcVisitor.ts';
import { invite } from '../../../../test/support/operators.ts';
import { advanceClock, allEvents } from '../authStage.support.ts';
import { anotherProvider, failed, oidcBrowser, PUBLIC_URL, startOidcStage } from './oidcStage.support.ts';

// Who a person is whom the OpenID provider has confirmed, and what they may do then (docs/decisions/0088-oidc-sign-in.md).

const HOME = `${PUBLIC_URL}/`;
const MINUTE = 60_000;
const ADA = { email: 'ada@example.com', email_verified: true, name: 'Ada' };
const EVE = { email: 'eve@example.com', email_verified: true, name: 'Eve' };
const RULES = 'admins=administrator; staff=member';

type Client = Pick<Browser, 'call'>;
const result = async (called: ReturnType<Client['call']>) => {
  const { status, body } = await called;
  return [status, body?.error?.code ?? 'ok'];
};

test('refuses an unverified address in the whole flow, and accepts it once the provider has verified it', async () => {
  const { stage, provider } = await startOidcStage({ people: { ada: { ...ADA, email_verified: false } } });
  const administrator = await setUp(stage);
  const { id } = await invite(administrator, 'Ada', 'auditor');
  const ada = oidcBrowser(stage);
  expect(await ada.signIn('ada')).toBe(failed('oidc_email_unverified'));
  expect(stage.hot.state.operators.byId.get(id)).toMatchObject({ acceptedAt: null, identity: null });
  provider.script.people.set('ada', ADA);
  expect(await ada.signIn('ada')).toBe(HOME);
  expect((await ada.session()).operator.id).toBe(id);
});

test('takes the same subject at another issuer for another person', async () => {
  const { stage, use } = await startOidcStage({ people: { ada: ADA } });
  const administrator = await setUp(stage);
  const { id } = await invite(administrator, 'Ada', 'administrator');
  expect(await oidcBrowser(stage).signIn('ada')).toBe(HOME);
  use(await anotherProvider({ ada: ADA }));
  const impostor = oidcBrowser(stage);
  expect(await impostor.signIn('ada')).toBe(failed('oidc_not_invited'));
  expect(await impostor.session()).toMatchObject({ isPasswordVerified: false });
  expect(stage.hot.state.operators.byId.get(id)?.role).toBe('administrator');
});

test('lets a disabled operator neither in nor do anything in an open session', async () => {
  const { stage } = await startOidcStage({ people: { ada: ADA } });
  const administrator = await setUp(stage);
  const { id } = await invite(administrator, 'Ada', 'auditor');
  const ada = oidcBrowser(stage);
  await ada.signIn('ada');
  expect(await result(ada.call('GET', '/api/operators'))).toEqual([200, 'ok']);
  await administrator.call('PATCH', `/api/operators/${id}`, { body: { is_active: false } });
  expect(await result(ada.call('GET', '/api/operators'))).toEqual([401, 'authentication_required']);
  expect(await ada.signIn('ada')).toBe(failed('oidc_disabled'));
  await administrator.call('PATCH', `/api/operators/${id}`, { body: { is_active: true } });
  expect(await ada.signIn('ada')).toBe(HOME);
});

test('takes the role of a changed claim at the next sign-in, which binds the open session as well', async () => {
  const people = { ada: { ...ADA, groups: ['admins'] }, eve: { ...EVE, groups: ['staff'] } };
  const { stage, provider } = await startOidcStage({ people, rules: RULES });
  const administrator = await setUp(stage);
  const [first, eve] = [oidcBrowser(stage), oidcBrowser(stage)];
  expect([await first.signIn('ada'), await eve.signIn('eve')]).toEqual([HOME, HOME]);
  const { id, role } = (await first.session()).operator;
  expect([role, (await eve.session()).operator.role]).toEqual(['administrator', 'member']);
  expect(await result(first.call('GET', '/api/operators'))).toEqual([200, 'ok']);
  provider.script.people.set('ada', { ...ADA, groups: ['staff', 'others'] });
  // The provider was not asked again yet.
  expect(await result(first.call('GET', '/api/operators'))).toEqual([200, 'ok']);
  expect(await oidcBrowser(stage).signIn('ada')).toBe(HOME);
  expect(await result(first.call('GET', '/api/operators'))).toEqual([403, 'insufficient_permissions']);
  const { body } = await administrator.call('GET', `/api/operators/${id}`);
  expect(body).toMatchObject({ role: 'member', name: 'Ada' });
});

test('ends the sessions of a person whom no rule gives a role any more, and refuses the next sign-in', async () => {
  const people = { ada: { ...ADA, groups: ['staff'] }, eve: { ...EVE, groups: ['staff'] } };
  const { stage, provider } = await startOidcStage({ people, rules: RULES });
  await setUp(stage);
  const [first, eve] = [oidcBrowser(stage), oidcBrowser(stage)];
  await first.signIn('ada');
  await eve.signIn('eve');
  provider.script.people.set('ada', { ...ADA, groups: ['others'] });
  expect(await oidcBrowser(stage).signIn('ada')).toBe(failed('oidc_no_role'));
  expect(await result(first.call('GET', '/api/profile'))).toEqual([401, 'authentication_required']);
  expect(await result(eve.call('GET', '/api/profile'))).toEqual([200, 'ok']);
  const ended = (await allEvents(stage)).filter(({ type }) => type === 'SessionEnded');
  expect(ended).toHaveLength(1);
});

test('keeps the role of an invitation where no rule matches', async () => {
  const { stage } = await startOidcStage({ people: { ada: { ...ADA, groups: ['others'] } }, rules: RULES });
  await invite(await setUp(stage), 'Ada', 'auditor');
  const ada = oidcBrowser(stage);
  expect(await ada.signIn('ada')).toBe(HOME);
  expect((await ada.session()).operator.role).toBe('auditor');
});

test('keeps the last administrator one, whatever the rules say', async () => {
  const { stage, provider } = await startOidcStage({ people: { ada: { ...ADA, groups: ['admins'] } }, rules: RULES });
  const builtIn = await setUp(stage);
  const ada = oidcBrowser(stage);
  await ada.signIn('ada');
  await builtIn.call('DELETE', '/api/dashboard-auth/password', { body: { password: 'correct horse' } });
  provider.script.people.set('ada', { ...ADA, groups: ['staff'] });
  expect(await oidcBrowser(stage).signIn('ada')).toBe(HOME);
  expect(await result(ada.call('GET', '/api/operators'))).toEqual([200, 'ok']);
});

/** Moves both clocks: that of svc, and that of the provider, which runs in this process. */
function advanceBoth(stage: Parameters<typeof advanceClock>[0], ms: number): void {
  const now = Date.now.bind(Date);
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => ahead.mockRestore());
  advanceClock(stage, ms);
}

test('asks the provider again for what cannot be undone, and accepts only the same person', async () => {
  const { stage, provider } = await startOidcStage({ people: { ada: ADA, eve: EVE } });
  const administrator = await setUp(stage);
  await invite(administrator, 'Ada', 'administrator');
  await invite(administrator, 'Eve', 'administrator');
  const ada = oidcBrowser(stage);
  await ada.signIn('ada');
  const makeToken = () => result(ada.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } }));
  expect(await makeToken()).toEqual([200, 'ok']);
  advanceBoth(stage, 11 * MINUTE);
  expect(await makeToken()).toEqual([401, 'reauthentication_required']);
  const again = { reauthenticate: 'true', next: '/profile' };
  const url = new URL(await ada.start(again));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  // Eve sits down at the open session, and signs in at the provider as herself.
  expect(await ada.open(await oidcVisitor().signIn(url.href, 'eve'))).toBe(failed('oidc_other_person', '/profile'));
  expect(await makeToken()).toEqual([401, 'reauthentication_required']);
  expect(await ada.signIn(null, again)).toBe(failed('oidc_declined', '/profile'));
  expect(await makeToken()).toEqual([401, 'reauthentication_required']);
  const { id } = (await ada.session()).operator;
  expect(await ada.signIn('ada', again)).toBe(`${PUBLIC_URL}/profile`);
  expect(await makeToken()).toEqual([200, 'ok']);
  expect((await ada.session()).operator.id).toBe(id);
  await provider.stop();
});

test('a response to another session than the one that asked proves nothing', async () => {
  const { stage } = await startOidcStage({ people: { ada: ADA } });
  const administrator = await setUp(stage);
  await invite(administrator, 'Ada', 'administrator');
  const ada = oidcBrowser(stage);
  await ada.signIn('ada');
  advanceBoth(stage, 11 * MINUTE);
  const callback = await ada.visitor.signIn(await ada.start({ reauthenticate: 'true' }), 'ada');
  await ada.call('POST', '/api/dashboard-auth/logout');
  expect(await ada.open(callback)).toBe(failed('oidc_expired'));
  expect((await ada.session()).isPasswordVerified).toBe(false);
});

test('gives a new session no fresh start when the provider has known the person for longer', async () => {
  const { stage } = await startOidcStage({ people: { ada: ADA }, hasAuthTime: true });
  await invite(await setUp(stage), 'Ada', 'administrator');
  const ada = oidcBrowser(stage);
  await ada.signIn('ada');
  advanceBoth(stage, 11 * MINUTE);
  await ada.call('POST', '/api/dashboard-auth/logout');
  // Without a question: the session at the provider goes on.
  expect(await ada.signIn('nobody')).toBe(HOME);
  const made = ada.call('POST', '/api/tokens', { body: { name: 'ci', role: 'member' } });
  expect(await result(made)).toEqual([401, 'reauthentication_required']);
});
