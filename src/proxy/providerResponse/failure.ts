/** An error of the provider, read from any of its shapes (docs/provider.md#shapes-of-an-error). */
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

/** How an attempt failed, as observed; `classify` interprets it. */
export type Failure =
  /** No connection, or it broke before the head of a response. */
  | { readonly kind: 'unreachable'; readonly message: string; readonly errno?: string | undefined }
  /**
   * The proxy opened no connection, or its connection broke before the head of a response. `problem` is the rest of a sentence
   * about the proxy.
   */
  | {
      readonly kind: 'proxyFailed';
      readonly code: string;
      readonly problem: string;
      readonly errno?: string | undefined;
    }
  /** svc has no file descriptor for a connection. */
  | { readonly kind: 'outOfDescriptors'; readonly errno?: string }
  /** A response whose status is not 200. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly error: ProviderError;
      readonly retryAfterSeconds: number | undefined;
    }
  /** A 200 that is not an event stream. */
  | { readonly kind: 'notAStream' }
  /** A 200 that is not a JSON object when one was requested. */
  | { readonly kind: 'notJson' }
  /** The provider reported a failure by an event, and the client has received nothing yet. */
  | { readonly kind: 'failureEvent'; readonly error: ProviderError }
  /** The stream ended or broke without a terminal event. */
  | {
      readonly kind: 'cut';
      readonly message: string;
      readonly errno?: string | undefined;
      readonly isProxied?: boolean;
    }
  /** The provider sent nothing for the idle timeout. */
  | { readonly kind: 'idle' }
  /** An event, or a response that is collected, exceeds the size limit. */
  | { readonly kind: 'eventTooLarge' }
  /** The provider, or something before it, serves no websocket here; requests over HTTP may work. */
  | { readonly kind: 'socketRefused'; readonly status: number }
  /** The provider closed a websocket before the response began. */
  | { readonly kind: 'socketClosed'; readonly closeCode: number }
  /** The request continues a response on a websocket that is closed, and cannot be sent on another one. */
  | { readonly kind: 'contextLost'; readonly previousResponseId: string }
  /** The account's access token could not be refreshed. */
  | { readonly kind: 'refreshFailed'; readonly isPermanent: boolean }
  /** The refreshed tokens of the account are for a region in which the request may not be served. */
  | { readonly kind: 'otherRegion' };

/** @returns the error of the system behind a failure; a timeout of svc is one, too */
export function errnoOf(failure: Failure): string | undefined {
  if (failure.kind === 'idle') return 'ETIMEDOUT';
  return 'errno' in failure ? failure.errno : undefined;
}

const NO_DETAILS: ProviderError = {
  message: undefined,
  type: undefined,
  code: undefined,
  param: undefined,
  planType: undefined,
  resetsAt: undefined,
  resetsInSeconds: undefined,
};

/** Reads the body of an error response. @returns no details if the body is not JSON */
export function readProviderError(body: string): ProviderError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return NO_DETAILS;
  }
  return providerErrorFrom(parsed);
}

/** Reads a parsed error body, or the `response` of a `response.failed` event. */
export function providerErrorFrom(value: unknown): ProviderError {
  if (typeof value !== 'object' || value === null) return NO_DETAILS;
  const outer = value as Record<string, unknown>;
  const inner = outer.error;
  if (typeof inner === 'object' && inner !== null) return fromFields(inner as Record<string, unknown>);
  const message = [outer.message, outer.detail, inner].find((text) => typeof text === 'string' && text !== '');
  return { ...fromFields(outer), message: message as string | undefined };
}

const MAX_CODE_CHARACTERS = 100;
/** Codes, types and parameters are names, which the log may keep; a provider may put any other text there. */
const NAME = /^[\w.:[\]-]+$/;

export const isName = (text: string): boolean => text.length <= MAX_CODE_CHARACTERS && NAME.test(text);

/** A text with spaces or an address is not a code: nothing may depend on it, and the log does not keep it. */
const codeIn = (code: string | undefined): string | undefined =>
  code !== undefined && isName(code) ? code : undefined;

function fromFields(fields: Record<string, unknown>): ProviderError {
  // The log stores well-formed text only; a provider may send anything.
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value.toWellFormed() : undefined;
  };
  const number = (name: string) => {
    const value = Number(fields[name] ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  // An `error` event may carry the error fields itself; then its `type` is the event's.
  const type = fields.type === 'error' ? undefined : text('type');
  return {
    message: text('message'),
    type,
    code: codeIn((text('code') ?? type)?.toLowerCase().slice(0, MAX_CODE_CHARACTERS)),
    param: text('param'),
    planType: text('plan_type'),
    resetsAt: number('resets_at'),
    resetsInSeconds: number('resets_in_seconds'),
  };
}

/** @param header `retry-after` of a response @returns undefined unless it is a number of seconds */
export function parseRetryAfter(header: string | undefined): number | undefined {
  const seconds = header ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
