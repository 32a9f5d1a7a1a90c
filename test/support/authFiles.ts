import type { SentRequest } from './call.ts';

/** A JWT with an invalid signature. */
export function jwt(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2ln`;
}

export const AUTH_CLAIM = 'https://api.openai.com/auth';

/** An auth file in the form that the provider's client writes. */
export function authFile({
  email = 'ada@example.com' as string | null,
  accountId = 'provider-1' as string | null,
  plan = 'plus',
  claims = {},
  ...rest
}: {
  email?: string | null;
  accountId?: string | null;
  plan?: string;
  claims?: Record<string, unknown>;
  [field: string]: unknown;
} = {}) {
  const auth = { chatgpt_plan_type: plan, ...(accountId === null ? {} : { chatgpt_account_id: accountId }) };
  return {
    OPENAI_API_KEY: null,
    tokens: {
      id_token: jwt({ ...(email === null ? {} : { email }), [AUTH_CLAIM]: auth, exp: 1_900_000_000, ...claims }),
      access_token: jwt({ exp: 1_893_456_000 }),
      refresh_token: 'rt_secret-refresh-token',
    },
    last_refresh: '2026-01-14T08:30:00.123456789Z',
    ...rest,
  };
}

/** A multipart form with these parts. A part is a file unless it is `plain`. */
export function form(...parts: { name: string; content: string | Uint8Array; plain?: boolean }[]): SentRequest {
  const boundary = '----svc-test';
  const chunks = parts.flatMap(({ name, content, plain }) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"`),
    Buffer.from(plain ? '\r\n\r\n' : '; filename="auth.json"\r\ncontent-type: application/json\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** The multipart form of an account import. */
export const upload = (file: unknown): SentRequest =>
  form({ name: 'auth_json', content: typeof file === 'string' ? file : JSON.stringify(file) });
