import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { asObject, type JsonObject, objectIn } from '../client/json.ts';
import { codeOf, providerClient } from '../client/providerClient.ts';
import { CLIENT_ID } from '../client/registration.ts';
import { errorCodeIn, type TokenResponse, tokensIn } from '../client/tokenResponse.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';

/** Identifies a device sign-in. Together with the user code it grants access to the account. */
export interface DeviceSecrets {
  readonly deviceAuthId: string;
  readonly userCode: string;
}

/** A device code with the provider's times for it. */
export interface DeviceCode {
  readonly secrets: DeviceSecrets;
  readonly intervalMs: number;
  readonly lifetimeMs: number;
}

/** The state of a device sign-in. */
export type DevicePollResult =
  | { readonly kind: 'pending' }
  /** Polled too often: increase the interval (RFC 8628 section 3.5). */
  | { readonly kind: 'slowDown'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'code'; readonly code: string; readonly verifier: string }
  | Extract<TokenResponse, { kind: 'tokens' }>
  | { readonly kind: 'failed'; readonly code: string }
  /** The poll failed; the sign-in can still succeed. */
  | { readonly kind: 'unreachable'; readonly code: string };

/** Sign-in by device code. */
export interface DeviceCodes {
  /** Where the operator enters the code. */
  readonly verificationUrl: string;
  /** A parameter of the code exchange. No browser is redirected to it. */
  readonly redirectUri: string;
  /**
   * @param accountId the account that signs in again, whose proxy the call takes; null for a new one
   * @throws Refusal `device_auth_unavailable` | `device_auth_failed`
   */
  request(accountId: AccountId | null): Promise<DeviceCode>;
  /** Polls once. Never rejects. */
  poll(secrets: DeviceSecrets, accountId: AccountId | null, signal: AbortSignal): Promise<DevicePollResult>;
}

export interface DeviceCodesOptions {
  /** `SVC_AUTH_BASE_URL` */
  readonly authBaseUrl: string;
  readonly agentFor: AgentFor;
  readonly now: () => Instant;
  readonly timeoutMs?: number;
}

const DEFAULT_INTERVAL_S = 5;
const DEFAULT_LIFETIME_S = 900;
const MIN_SECONDS = 0.1;
const MAX_SECONDS = 3_600;

/**
 * The provider's own device flow (docs/provider.md#device-sign-in). Unlike RFC 8628 it uses JSON and other names, and it ends
 * with an authorization code.
 */
export function createDeviceCodes({ authBaseUrl, agentFor, now, timeoutMs = 8_000 }: DeviceCodesOptions): DeviceCodes {
  const base = `${authBaseUrl}/api/accounts/deviceauth`;
  const pollUrl = `${base}/token`;
  const timeout = { request: timeoutMs };
  const client = providerClient({ timeout });
  // A request for a code may be retried, because a lost code does no harm.
  const retryingClient = providerClient({
    timeout,
    retry: { limit: 2, methods: ['POST'], statusCodes: [500, 502, 503, 504, 529] },
  });

  return {
    verificationUrl: `${authBaseUrl}/codex/device`,
    redirectUri: `${authBaseUrl}/deviceauth/callback`,

    async request(accountId) {
      const url = `${base}/usercode`;
      const response = await retryingClient()
        .then((got) => got.post(url, { json: { client_id: CLIENT_ID }, ...agentFor(url, accountId) }))
        .catch((error) => refuse('device_auth_failed', { reason: codeOf(error) }));
      const body = objectIn(response.body);
      if (response.statusCode === 404) return refuse('device_auth_unavailable');
      if (response.statusCode !== 200)
        return refuse('device_auth_failed', { reason: errorCodeIn(body) ?? `http_${response.statusCode}` });
      return deviceCodeIn(body, now()) ?? refuse('device_auth_failed', { reason: 'invalid_response' });
    },

    async poll({ deviceAuthId, userCode }, accountId, signal) {
      const json = { device_auth_id: deviceAuthId, user_code: userCode };
      try {
        const { statusCode, body, headers } = await (await client()).post(pollUrl, {
          json,
          signal,
          ...agentFor(pollUrl, accountId),
        });
        return readPoll(statusCode, objectIn(body), secondsIn(headers['retry-after']));
      } catch (error) {
        return { kind: 'unreachable', code: codeOf(error) };
      }
    },
  };
}

type Body = JsonObject | undefined;

function deviceCodeIn(body: Body, now: Instant): DeviceCode | undefined {
  const deviceAuthId = textIn(body?.device_auth_id);
  const userCode = textIn(body?.user_code) ?? textIn(body?.usercode);
  if (deviceAuthId === undefined || userCode === undefined) return undefined;
  const intervalMs = Math.round((secondsIn(body?.interval) ?? DEFAULT_INTERVAL_S) * 1_000);
  const lifetimeS = secondsIn(body?.expires_in) ?? secondsUntil(body?.expires_at, now) ?? DEFAULT_LIFETIME_S;
  return { secrets: { deviceAuthId, userCode }, intervalMs, lifetimeMs: Math.round(lifetimeS * 1_000) };
}

function readPoll(status: number, body: Body, retryAfterS: number | undefined): DevicePollResult {
  const code = errorCodeIn(body);
  if (code === 'slow_down' || status === 429) {
    return { kind: 'slowDown', retryAfterMs: retryAfterS === undefined ? undefined : retryAfterS * 1_000 };
  }
  if (code !== undefined && FINAL_CODES.has(code)) return { kind: 'failed', code };
  if (status === 403 || status === 404 || code === 'authorization_pending' || body?.status === 'pending') {
    return { kind: 'pending' };
  }
  if (status >= 500 || status === 408) return { kind: 'unreachable', code: code ?? `http_${status}` };
  if (status !== 200) return { kind: 'failed', code: code ?? `http_${status}` };
  const authorizationCode = textIn(body?.authorization_code);
  const verifier = textIn(body?.code_verifier);
  if (authorizationCode !== undefined && verifier !== undefined) {
    return { kind: 'code', code: authorizationCode, verifier };
  }
  return tokensIn(asObject(body?.tokens) ?? body) ?? { kind: 'failed', code: 'invalid_response' };
}

/** Codes that end the sign-in. Without such a code, status 403 and 404 mean that it is pending. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'access_denied',
  'authorization_declined',
  'expired_token',
  'code_expired',
]);

/** Longer than any id or code of the provider; an event keeps them. */
const MAX_CHARACTERS = 8_192;

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS ? value : undefined;

/** Reads seconds from a number or a numeric text, at most an hour. */
function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.min(Math.max(MIN_SECONDS, seconds), MAX_SECONDS);
}

const secondsUntil = (time: unknown, now: Instant): number | undefined =>
  typeof time === 'string' ? secondsIn((Date.parse(time) - now) / 1_000) : undefined;
