/** An auth file as Codex writes it, with tokens that stay valid (docs/clients.md#the-auth-file-that-codex-writes). */
export function authFile(index: number): object {
  const accountId = `00000000-be4c-4000-8000-${String(index).padStart(12, '0')}`;
  const email = `bench-${index}@example.com`;
  const tenYears = Math.floor(Date.now() / 1000) + 315_360_000;
  const claims = {
    iss: 'https://auth.openai.com',
    exp: tenYears,
    iat: tenYears - 315_360_000,
    sub: `auth0|bench${index}`,
    email,
    'https://api.openai.com/profile': { email, email_verified: true },
    'https://api.openai.com/auth': {
      chatgpt_account_id: accountId,
      chatgpt_plan_type: 'pro',
      chatgpt_user_id: `user-bench${index}`,
      user_id: `user-bench${index}`,
    },
  };
  return {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: {
      id_token: unsignedJwt(claims),
      access_token: unsignedJwt({ ...claims, aud: ['https://api.openai.com/v1'] }),
      refresh_token: `rt_bench_${index}`,
      account_id: accountId,
    },
    last_refresh: new Date().toISOString(),
  };
}

function unsignedJwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${Buffer.from('unsigned').toString('base64url')}`;
}
