/** What a provider's error says, from whichever of its shapes (provider-and-predecessor.md A.4, last paragraph). */
export interface ProviderError {
  readonly message: string | undefined;
  readonly type: string | undefined;
  /** `code`, else `type`, in lower case. */
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly planType: string | undefined;
  /** Unix seconds. */
  readonly resetsAt: number | undefined;
  readonly resetsInSeconds: number | undefined;
}

/** How an attempt failed, as it was met; `classify` says what that means. */
export type Failure =
  /** No connection, or it broke before the head of an answer. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** An answer whose status is not 200. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly error: ProviderError;
      readonly retryAfterSeconds: number | undefined;
    }
  /** A 200 that is no event stream. */
  | { readonly kind: 'notAStream' }
  /** A 200 that is no JSON object where one was asked for. */
  | { readonly kind: 'notJson' }
  /** The first event of the stream is a failure, so nothing has reached the client. */
  | { readonly kind: 'failedFirst'; readonly error: ProviderError }
  /** The stream ended or broke without an event that ends the answer. */
  | { readonly kind: 'cut'; readonly message: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'eventTooLarge' }
  /** The account's tokens could not be made valid. */
  | { readonly kind: 'tokens'; readonly isPermanent: boolean };

const NONE: ProviderError = {
  message: undefined,
  type: undefined,
  code: undefined,
  param: undefined,
  planType: undefined,
  resetsAt: undefined,
  resetsInSeconds: undefined,
};

/** Reads the body of an error answer; a body that is not JSON says nothing that a client should see. */
export function readProviderError(body: string): ProviderError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return NONE;
  }
  return providerErrorFrom(parsed);
}

/** From a parsed answer, or from the `error` of a failed response. */
export function providerErrorFrom(value: unknown): ProviderError {
  if (typeof value !== 'object' || value === null) return NONE;
  const outer = value as Record<string, unknown>;
  const inner = outer.error;
  if (typeof inner === 'object' && inner !== null) return fromFields(inner as Record<string, unknown>);
  const message = [outer.message, outer.detail, inner].find((text) => typeof text === 'string' && text !== '');
  return { ...fromFields(outer), message: message as string | undefined };
}

const MAX_CODE_CHARACTERS = 100;

function fromFields(fields: Record<string, unknown>): ProviderError {
  // What is kept in the log must be text; a provider may send anything.
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value.toWellFormed() : undefined;
  };
  const number = (name: string) => {
    const value = Number(fields[name] ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  // An `error` event may stand for its own error, and then its type is that of an event.
  const type = fields.type === 'error' ? undefined : text('type');
  return {
    message: text('message'),
    type,
    code: (text('code') ?? type)?.toLowerCase().slice(0, MAX_CODE_CHARACTERS),
    param: text('param'),
    planType: text('plan_type'),
    resetsAt: number('resets_at'),
    resetsInSeconds: number('resets_in_seconds'),
  };
}
