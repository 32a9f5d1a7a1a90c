import type { Answer, Step } from './wire.ts';

export interface Expected {
  readonly status: number;
  readonly code?: string;
  /** The field that the answer names; null when it must name none, left out when it does not matter. */
  readonly param?: string | null;
  /** Which envelope (docs/errors.md). */
  readonly envelope?: 'proxy' | 'management' | 'none';
}

/** One request that must be refused. */
export interface BadRequest {
  readonly name: string;
  /** By fetch, unless there are `steps`. */
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** By a socket, as it stands. */
  readonly steps?: readonly Step[];
  /** How many answers `steps` must get, 1 unless given; the last of them is looked at. */
  readonly answers?: number;
  /** Undefined when the client has left before it could be answered. */
  readonly expected: Expected | undefined;
  /** It passed the key check and reached a model's route: it must be in the log. */
  readonly isLogged: boolean;
}

/** For fields that are wrong and bodies that are no JSON: both model routes refuse them alike. */
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

/** Each request twice, once a route. */
export const onBothRoutes = (requests: readonly BadRequest[]): BadRequest[] =>
  Object.entries(PATHS).flatMap(([surface, path]) =>
    requests.map((request) => ({ ...request, name: `${request.name}, on ${surface}`, path })),
  );

/** Each request once, on one route after the other. */
export const onEitherRoute = (requests: readonly BadRequest[]): BadRequest[] =>
  requests.map((request, index) => ({ ...request, path: index % 2 === 0 ? PATHS.svc : PATHS.v1 }));

const TYPES: Readonly<Record<string, string>> = {
  invalid_api_key: 'authentication_error',
  model_not_allowed: 'permission_error',
};

/** What must never be seen in an answer: stack traces, HTML, paths of files, values that nobody meant to show. */
const LEAKS =
  /\n\s*at |node_modules|node:internal|\.[cm]?[jt]s:\d|<html|<!doctype|<pre|\/work\/|file:\/\/|\bundefined\b|\[object |\bNaN\b|TypeError|RangeError|SyntaxError/i;

/** @returns what is wrong with an answer, in words; empty when it is as it should be */
export function problemsOf({ status, headers, text }: Answer, expected: Expected): string[] {
  const problems: string[] = [];
  const wrong = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) problems.push(`${what} is ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
  };
  wrong('status', status, expected.status);
  if (expected.envelope === 'none') return problems;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
    return [...problems, `content-type is ${headers['content-type']}, the body ${text.slice(0, 200)}`];
  }
  const body = parsed(text);
  wrong('keys of the body', Object.keys(body).join(), 'error');
  const { error = {} } = body;
  if (expected.code !== undefined) wrong('code', error.code, expected.code);
  if (expected.envelope === 'management') {
    wrong('keys of the envelope', Object.keys(error).sort().join(), 'code,message');
  } else {
    wrong('type', error.type, TYPES[String(error.code)] ?? 'invalid_request_error');
    const keys = ['message', 'type', 'code', ...(error.param === undefined ? [] : ['param'])];
    wrong('keys of the envelope', Object.keys(error).sort().join(), keys.sort().join());
    if (expected.param !== undefined) wrong('param', error.param ?? null, expected.param);
  }
  return [...problems, ...problemsOfMessage(error.message)];
}

function problemsOfMessage(message: unknown): string[] {
  if (typeof message !== 'string') return [`message is ${JSON.stringify(message)}`];
  const problems: string[] = [];
  if (LEAKS.test(message)) problems.push(`the message leaks: ${message.slice(0, 300)}`);
  if (message.trim().split(/\s+/).length < 3) problems.push(`the message is no sentence: ${message}`);
  if (message.length > 600) problems.push(`the message has ${message.length} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\ud800-\udfff]/u.test(message)) problems.push(`unprintable: ${JSON.stringify(message)}`);
  return problems;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came
function parsed(text: string): any {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
