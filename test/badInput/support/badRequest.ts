import type { RawResponse, Step } from './rawHttp.ts';

export interface Expected {
  readonly status: number;
  readonly code?: string;
  /** The field that the error must name; null when it must name none, undefined when either is fine. */
  readonly param?: string | null;
  /** Default: the proxy's (docs/errors.md). */
  readonly envelope?: 'proxy' | 'management' | 'none';
}

/** A request that must be rejected. */
export interface BadRequest {
  readonly name: string;
  /** Sent with fetch, unless there are `steps`. */
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** Sent on a socket, unchanged. */
  readonly steps?: readonly Step[];
  /** How many responses `steps` must get (default: 1). The last one is checked. */
  readonly responses?: number;
  /** Undefined when the client disconnects without waiting for the response. */
  readonly expected: Expected | undefined;
  /** Whether the request passes the key check and reaches a model route, so that the log must contain it. */
  readonly isLogged: boolean;
}

/** A body with invalid fields, or that is not JSON: both model routes reject it. */
export const invalidBody = (
  name: string,
  body: string | Uint8Array,
  options: Partial<BadRequest> & { param?: string | null } = {},
): BadRequest => {
  const { param, ...rest } = options;
  return {
    name,
    body,
    isLogged: true,
    expected: { status: 400, code: 'invalid_request_error', ...(param !== undefined && { param }) },
    ...rest,
  };
};

export const PATHS = { svc: '/backend-api/svc/responses', v1: '/v1/responses' } as const;

/** Repeats each request on both routes. */
export const onBothRoutes = (requests: readonly BadRequest[]): BadRequest[] =>
  Object.entries(PATHS).flatMap(([surface, path]) =>
    requests.map((request) => ({ ...request, name: `${request.name}, on ${surface}`, path })),
  );

/** Sends each request to one route, alternating. */
export const alternatingRoutes = (requests: readonly BadRequest[]): BadRequest[] =>
  requests.map((request, index) => ({ ...request, path: index % 2 === 0 ? PATHS.svc : PATHS.v1 }));

const TYPES: Readonly<Record<string, string>> = {
  invalid_api_key: 'authentication_error',
  model_not_allowed: 'permission_error',
};

/** Must never occur in a response: stack traces, HTML, file paths, unintended values. */
const LEAKS =
  /\n\s*at |node_modules|node:internal|\.[cm]?[jt]s:\d|<html|<!doctype|<pre|\/work\/|file:\/\/|\bundefined\b|\[object |\bNaN\b|TypeError|RangeError|SyntaxError/i;

/** @returns a description of each difference from the expected response; empty when there is none */
export function problemsOf({ status, headers, text }: RawResponse, expected: Expected): string[] {
  const problems: string[] = [];
  const expectEqual = (what: string, actual: unknown, wanted: unknown) => {
    if (actual !== wanted) problems.push(`${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(wanted)}`);
  };
  expectEqual('status', status, expected.status);
  if (expected.envelope === 'none') return problems;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
    return [...problems, `content-type is ${headers['content-type']}, the body ${text.slice(0, 200)}`];
  }
  const body = parse(text);
  expectEqual('keys of the body', Object.keys(body).join(), 'error');
  const { error = {} } = body;
  if (expected.code !== undefined) expectEqual('code', error.code, expected.code);
  if (expected.envelope === 'management') {
    expectEqual('keys of the envelope', Object.keys(error).sort().join(), 'code,message');
  } else {
    expectEqual('type', error.type, TYPES[String(error.code)] ?? 'invalid_request_error');
    const keys = ['message', 'type', 'code', ...(error.param === undefined ? [] : ['param'])];
    expectEqual('keys of the envelope', Object.keys(error).sort().join(), keys.sort().join());
    if (expected.param !== undefined) expectEqual('param', error.param ?? null, expected.param);
  }
  return [...problems, ...messageProblems(error.message)];
}

function messageProblems(message: unknown): string[] {
  if (typeof message !== 'string') return [`message is ${JSON.stringify(message)}`];
  const problems: string[] = [];
  if (LEAKS.test(message)) problems.push(`the message leaks: ${message.slice(0, 300)}`);
  if (message.trim().split(/\s+/).length < 3) problems.push(`the message is not a sentence: ${message}`);
  if (message.length > 600) problems.push(`the message has ${message.length} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for these characters
  if (/[\u0000-\u001f\u007f\ud800-\udfff]/u.test(message)) problems.push(`unprintable: ${JSON.stringify(message)}`);
  return problems;
}

// biome-ignore lint/suspicious/noExplicitAny: arbitrary JSON
function parse(text: string): any {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
