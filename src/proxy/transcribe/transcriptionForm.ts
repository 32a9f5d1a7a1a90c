import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { badRequest, ProxyError } from '../errors/proxyError.ts';
import { type FormPart, formParts } from './formParts.ts';

/** The one model that transcribes (provider-and-predecessor.md 6.7); the provider is not told its name. */
export const TRANSCRIPTION_MODEL = 'gpt-4o-transcribe';

/** The size as sent: what the provider's own API takes is a little less. */
export const MAX_FORM_BYTES = 32 * 1_048_576;

/** What the public API knows and the provider behind an account does not: each has one value that is what happens anyway. */
const FIELDS_WITH_ONE_VALUE: ReadonlyMap<string, readonly string[]> = new Map([
  ['model', [TRANSCRIPTION_MODEL]],
  ['response_format', ['json']],
  ['stream', ['false']],
]);
/** The same, where no value makes a difference that we could mend. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'chunking_strategy',
  'include[]',
  'timestamp_granularities[]',
]);

export interface TranscriptionForm {
  /** Of the form as it goes on. */
  readonly contentType: string;
  /** @throws ProxyError `invalid_request_error`, `validation_error`, `request_too_large`, ClientGone */
  readonly pieces: AsyncGenerator<Buffer>;
}

/**
 * A form with audio on its way through: written anew part by part while it arrives, without what the provider does not know.
 * The first piece comes with the beginning of the file, so that what stands before it has been checked.
 * @param options.mustNameModel as on `/v1`
 */
export function transcriptionForm(request: IncomingMessage, options: { mustNameModel: boolean }): TranscriptionForm {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    pieces: rewritten(formParts(request, MAX_FORM_BYTES), boundary, options),
  };
}

async function* rewritten(
  parts: AsyncGenerator<FormPart>,
  boundary: string,
  { mustNameModel }: { mustNameModel: boolean },
): AsyncGenerator<Buffer> {
  const seen = new Set<string>();
  let waiting = '';
  for await (const part of parts) {
    const { name } = part;
    const isRepeated = seen.has(name) && (part.kind === 'file' || FIELDS_WITH_ONE_VALUE.has(name));
    if (isRepeated) badRequest(name, 'is there more than once');
    seen.add(name);
    if (part.kind === 'field') {
      if (name === 'file') missing('file');
      const allowed = FIELDS_WITH_ONE_VALUE.get(name);
      if (allowed && !allowed.includes(part.value)) badRequest(name, `must be ${allowed.join(' or ')}`);
      if (allowed || IGNORED_FIELDS.has(name)) continue;
      waiting += `${headOf(boundary, name)}\r\n${part.value}\r\n`;
      continue;
    }
    if (name !== 'file') badRequest(name, 'is a file, but only "file" may be one');
    yield Buffer.from(waiting + headOfFile(boundary, part));
    yield* part.content;
    waiting = '\r\n';
  }
  if (!seen.has('file')) missing('file');
  if (mustNameModel && !seen.has('model')) missing('model');
  yield Buffer.from(`${waiting}--${boundary}--\r\n`);
}

function missing(param: string): never {
  throw new ProxyError('validation_error', { param });
}

const headOf = (boundary: string, name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n`;

function headOfFile(boundary: string, { fileName, type }: Extract<FormPart, { kind: 'file' }>): string {
  const disposition = `name="file"; filename="${quoted(fileName || 'audio.wav')}"`;
  // Without a type a part counts as text, which audio is not.
  const contentType =
    type === '' || type === 'text/plain' ? 'application/octet-stream' : type.replaceAll(/[\r\n]/g, '');
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${contentType}\r\n\r\n`;
}

/** As browsers do it (HTML, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string => text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
