import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { badRequest, ProxyError, requestTooLarge } from '../errors/proxyError.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';

export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      /** Undefined when the client sent none. */
      readonly fileName: string | undefined;
      readonly type: string;
      /** Must be consumed before the next part is requested. */
      readonly content: AsyncIterable<Buffer>;
    };

const LIMITS = { fieldSize: 262_144, fields: 100, parts: 101, headerPairs: 100 };

/**
 * Yields the parts of multipart/form-data, each as soon as it begins. A file is streamed, with back-pressure to the client.
 * The part named `file` is a file even without a file name.
 * @throws ProxyError `invalid_request_error`, `request_too_large`; ClientDisconnected. The content of a file throws them too.
 */
export async function* readFormParts(request: IncomingMessage, maxBytes: number): AsyncGenerator<FormPart> {
  const form = createParser(request);
  const queue: FormPart[] = [];
  let current: Readable | undefined;
  let failure: Error | undefined;
  let isComplete = false;
  let wake = (): void => undefined;

  const fail = (error: Error) => {
    failure ??= error;
    request.unpipe(form);
    request.resume();
    current?.destroy(failure);
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
    // The consumer of the content gets the error too, but without a listener it would end the process.
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
      throw failure ?? error;
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
      if (failure) throw failure;
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
    // Discards the remaining bytes of the form.
    request.unpipe(form);
    request.resume();
    current?.destroy();
  }
}

function createParser({ headers }: IncomingMessage): BusboyInstance {
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
