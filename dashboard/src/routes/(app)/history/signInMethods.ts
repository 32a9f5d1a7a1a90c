/** How a sign-in was tried, by the name that events have (test/dashboard/eventKinds.unit.test.ts). */
export const SIGN_IN_METHODS: Readonly<Record<string, string>> = {
  password: 'the password',
  totp: 'a two-factor code',
  setup_token: 'the set-up token',
  recovery_code: 'a recovery code',
  invitation: 'an invitation',
  token: 'a management token',
  passkey: 'a passkey',
  oidc: 'single sign-on',
};
