import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { badRequest, ProxyError } from '../errors/proxyError.ts';
import { type FormPart, readFormParts } from './formParts.ts';

/** The only model that transcribes. Its name is not sent to the provider (docs/provider.md#transcription). */
export const TRANSCRIPTION_MODEL = 'gpt-4o-transcribe';

/** The size as sent. The provider's own limit is a little lower. */
export const MAX_FORM_BYTES = 32 * 1_048_576;

/** Fields of the public API that the provider does not know. Only values that match the provider's behaviour are accepted. */
const FIELDS_WITH_ONE_VALUE: ReadonlyMap<string, readonly string[]> = new Map([
  ['model', [TRANSCRIPTION_MODEL]],
  ['response_format', ['json']],
  ['stream', ['false']],
]);
/** More fields that the provider does not know. Any value is accepted and ignored. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'chunking_strategy',
  'include[]',
  'timestamp_granularities[]',
]);

export interface TranscriptionForm {
  /** Content type of the form that is sent to the provider. */
  readonly contentType: string;
  /** @throws ProxyError `invalid_request_error`, `validation_error`, `request_too_large`; ClientDisconnected */
  readonly pieces: AsyncGenerator<Buffer>;
}

/**
 * Rewrites a form part by part while it arrives, without the fields that the provider does not know. The first piece is
 * yielded at the start of the file, so all fields before it have been checked.
 * @param options.mustNameModel whether `model` is required, as on `/v1`
 */
export function rewriteTranscriptionForm(
  request: IncomingMessage,
  options: { mustNameModel: boolean },
): TranscriptionForm {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    pieces: rewriteForm(readFormParts(request, MAX_FORM_BYTES), boundary, options),
  };
}

async function* rewriteForm(
  parts: AsyncGenerator<FormPart>,
  boundary: string,
  { mustNameModel }: { mustNameModel: boolean },
): AsyncGenerator<Buffer> {
  const seen = new Set<string>();
  let pending = '';
  for await (const part of parts) {
    const { name } = part;
    const isRepeated = seen.has(name) && (part.kind === 'file' || FIELDS_WITH_ONE_VALUE.has(name));
    if (isRepeated) badRequest(name, 'must not be repeated');
    seen.add(name);
    if (part.kind === 'field') {
      if (name === 'file') throwMissing('file');
      const allowed = FIELDS_WITH_ONE_VALUE.get(name);
      if (allowed && !allowed.includes(part.value)) badRequest(name, `must be ${allowed.join(' or ')}`);
      if (allowed || IGNORED_FIELDS.has(name)) continue;
      pending += `${partHead(boundary, name)}\r\n${part.value}\r\n`;
      continue;
    }
    if (name !== 'file') badRequest(name, 'must not be a file: send the audio as "file"');
    yield Buffer.from(pending + filePartHead(boundary, part));
    yield* part.content;
    pending = '\r\n';
  }
  if (!seen.has('file')) throwMissing('file');
  if (mustNameModel && !seen.has('model')) throwMissing('model');
  yield Buffer.from(`${pending}--${boundary}--\r\n`);
}

function throwMissing(param: string): never {
  throw new ProxyError('validation_error', { param });
}

const partHead = (boundary: string, name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuoted(name)}"\r\n`;

function filePartHead(boundary: string, { fileName, type }: Extract<FormPart, { kind: 'file' }>): string {
  const disposition = `name="file"; filename="${escapeQuoted(fileName || 'audio.wav')}"`;
  // A part without a type would be treated as text.
  const contentType =
    type === '' || type === 'text/plain' ? 'application/octet-stream' : type.replaceAll(/[\r\n]/g, '');
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${contentType}\r\n\r\n`;
}

/** As browsers escape it (HTML, "multipart/form-data encoding algorithm"). */
const escapeQuoted = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
