import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { badRequest, ProxyError } from '../errors/proxyError.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import { requestTooLarge } from '../requestBody/requestTooLarge.ts';

export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      /** Undefined when the client gave none. */
      readonly fileName: string | undefined;
      readonly type: string;
      /** Must be read before the next part comes. */
      readonly content: AsyncIterable<Buffer>;
    };

const LIMITS = { fieldSize: 262_144, fields: 100, parts: 101, headerPairs: 100 };

/**
 * The parts of multipart/form-data, each as soon as it begins: a file is handed on while it arrives, and the client is read
 * no faster than the file is. `file` is a file even without a name.
 * @throws ProxyError `invalid_request_error`, `request_too_large`, ClientGone; also out of the content of a file
 */
export async function* formParts(request: IncomingMessage, maxBytes: number): AsyncGenerator<FormPart> {
  const form = parserFor(request);
  const queue: FormPart[] = [];
  let current: Readable | undefined;
  let problem: Error | undefined;
  let isComplete = false;
  let wake = (): void => undefined;

  const fail = (error: Error) => {
    problem ??= error;
    request.unpipe(form);
    request.resume();
    current?.destroy(problem);
    wake();
  };
  const malformed = () => fail(invalid('the form is not valid multipart/form-data'));
  form.on('field', (name, value, _isNameCut, isCut) => {
    if (isCut) return fail(invalid(`is longer than ${LIMITS.fieldSize} bytes`, name));
    queue.push({ kind: 'field', name, value });
    wake();
  });
  form.on('file', (name, content, fileName, _encoding, type) => {
    current = content;
    // Whoever iterates over it hears of it as well; without a listener it would end the process.
    content.on('error', malformed);
    queue.push({ kind: 'file', name, fileName, type, content: contentOf(content) });
    wake();
  });
  for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
    form.on(event, () => fail(invalid('the form has too many parts')));
  }
  form.on('error', malformed);
  form.on('finish', () => {
    isComplete = true;
    wake();
  });
  async function* contentOf(content: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of content) yield chunk as Buffer;
    } catch (error) {
      throw problem ?? error;
    }
  }
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) fail(requestTooLarge(maxBytes));
  });
  request.once('close', () => {
    if (!request.complete) fail(new ClientDisconnected());
  });
  request.pipe(form);

  try {
    for (;;) {
      if (problem) throw problem;
      const part = queue.shift();
      if (part) yield part;
      else if (isComplete) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // Nobody wants the rest.
    request.unpipe(form);
    request.resume();
    current?.destroy();
  }
}

function parserFor({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) badRequest(undefined, 'send the audio as a part of multipart/form-data');
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: LIMITS,
      isPartAFile: (name, _type, fileName) => name === 'file' || fileName !== undefined,
    });
  } catch {
    badRequest(undefined, 'the content-type names no boundary');
  }
}

const invalid = (problem: string, param?: string) =>
  new ProxyError('invalid_request_error', { problem, ...(param !== undefined && { param }) });
