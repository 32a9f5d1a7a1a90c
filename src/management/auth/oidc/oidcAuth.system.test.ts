import { expect, test } from 'vitest';
import { setUp } from '../../../../test/support/browser.ts';
import { invite } from '../../../../test/support/operators.ts';
import { oidcBrowser, PUBLIC_URL, startOidcStage } from './oidcStage.support.ts';

const ADA = { email: 'ada@example.com', email_verified: true, name: 'Ada' };

test('signs in who was invited to the verified address, and finds them by their identity afterwards', async () => {
  const { stage, provider } = await startOidcStage({ people: { 'sub-ada': ADA } });
  const administrator = await setUp(stage);
  const invited = await invite(administrator, 'Ada', 'auditor');
  const ada = oidcBrowser(stage);
  expect(await ada.signIn('sub-ada', { next: '/history?page=2' })).toBe(`${PUBLIC_URL}/history?page=2`);
  expect(await ada.session()).toMatchObject({
    isPasswordVerified: true,
    operator: { id: invited.id, name: 'Ada', role: 'auditor' },
  });
  // The address may change now: people are an issuer with a subject.
  provider.script.people.set('sub-ada', { email: 'ada@elsewhere.example', email_verified: false });
  const again = oidcBrowser(stage);
  expect(await again.signIn('sub-ada')).toBe(`${PUBLIC_URL}/`);
  expect((await again.session()).operator.id).toBe(invited.id);
});
