import type { ResponseScript } from './responseScript.ts';

export interface BodyOptions {
  name?: string;
  headers?: Record<string, string>;
}

/** A response with a Content-Length, not a stream. */
export function fullResponse(
  status: number,
  contentType: string,
  body: string,
  { name = `${status} ${contentType}`, headers = {} }: BodyOptions = {},
): ResponseScript {
  const bytes = Buffer.from(body);
  const head = { 'content-type': contentType, 'content-length': String(bytes.length), ...headers };
  return {
    name,
    steps: bytes.length === 0 ? [{ head: status, headers: head }] : [{ head: status, headers: head }, { bytes }],
  };
}

export const json = (status: number, body: unknown, options: BodyOptions = {}): ResponseScript =>
  fullResponse(status, 'application/json', JSON.stringify(body), { name: `${status} json`, ...options });

export interface ErrorFields {
  message: string;
  type?: string;
  code?: string | null;
  param?: string | null;
}

/** An error in the usual envelope, with all fields. */
export const errorJson = (
  status: number,
  { message, type = 'invalid_request_error', code = null, param = null }: ErrorFields,
) => json(status, { error: { message, type, param, code } }, { name: `${status} ${code ?? type}` });
