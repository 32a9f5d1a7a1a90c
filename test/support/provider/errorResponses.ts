import { errorJson, fullResponse, json } from './http.ts';
import { type ResponseScript, stepsOf } from './responseScript.ts';

/** `usage-limit-reached`: the window is used up. No `code`: the type is the code. */
export const usageLimitReached = ({
  resetsInSeconds = 3600,
  planType,
}: {
  resetsInSeconds?: number;
  planType?: string;
} = {}): ResponseScript => ({
  name: 'usageLimitReached',
  steps: (context) => {
    const error = {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: planType ?? context.account.plan,
      resets_at: Math.floor(context.now / 1000) + resetsInSeconds,
      resets_in_seconds: resetsInSeconds,
    };
    return stepsOf(json(429, { error }), context);
  },
});

/** `throttled`: without a code or a reset time. */
export const throttled = ({
  shape = 'error',
  retryAfter,
}: {
  shape?: 'error' | 'detail';
  retryAfter?: number;
} = {}): ResponseScript =>
  json(429, shape === 'error' ? { error: { message: 'Rate limit exceeded' } } : { detail: 'Rate limit exceeded' }, {
    name: `throttled ${shape}`,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  });

/**
 * `access-token-refused`, whatever the token. Use `expireAccessToken()` to make it depend on the token, and
 * `account.token` for `refresh-token-refused`.
 */
export const accessTokenRefused = ({ code = 'invalid_token' }: { code?: string } = {}): ResponseScript =>
  errorJson(401, { message: 'Your authentication token is not valid. Please try signing in again.', code });

/** `server-error` */
export const serverError = ({
  status = 500,
  body = 'json',
}: {
  status?: number;
  body?: 'html' | 'empty' | 'json';
} = {}): ResponseScript => {
  const name = `serverError ${status} ${body}`;
  switch (body) {
    case 'html':
      return fullResponse(status, 'text/html', `<html><body><h1>${status}</h1><p>cloud front</p></body></html>`, {
        name,
      });
    case 'empty':
      return fullResponse(status, 'text/plain', '', { name });
    case 'json':
      return json(
        status,
        { error: { message: 'The server had an error', type: 'server_error', param: null, code: 'server_error' } },
        { name },
      );
  }
};

/** `unreachable`: resets the connection instead of responding. */
export const connectionReset = (): ResponseScript => ({ name: 'connectionReset', steps: [{ reset: true }] });

/** Reads the request and never responds. */
export const noResponse = (): ResponseScript => ({ name: 'noResponse', steps: [{ hold: true }] });

/** `request-refused` */
export const requestRefused = ({
  shape = 'detail',
  code = 'context_length_exceeded',
}: {
  shape?: 'detail' | 'error';
  code?: string;
} = {}): ResponseScript =>
  shape === 'detail'
    ? json(400, { detail: 'The simulated provider does not like this request' }, { name: 'requestRefused detail' })
    : errorJson(400, { message: 'Your input exceeds the context window of this model.', code, param: 'input' });

/** `not-a-stream`: a 200 with a JSON body. */
export const notAStream = (body: unknown = { message: 'This is not a stream' }): ResponseScript =>
  json(200, body, { name: 'notAStream' });
