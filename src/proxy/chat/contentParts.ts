import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** Maximum decoded size of an image inside the request (docs/provider.md#images-inside-a-request). */
export const MAX_IMAGE_BYTES = 8 * 1_048_576;

/** Parts of the responses API, which are forwarded unchanged: clients of both APIs send them to this endpoint too. */
const RESPONSES_API_PARTS: ReadonlySet<unknown> = new Set(['input_text', 'input_image', 'input_file']);

/**
 * Maps the content of a user or tool message to parts of the responses API.
 * @param param path of the content in the request
 * @throws ProxyError `invalid_request_error`
 */
export function readContent(content: unknown, param: string): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return partsOf(content, param).map((part, index) => readPart(part, `${param}.${index}`));
}

/** Reads content that must be text; its parts become lines. @throws ProxyError `invalid_request_error` */
export function readTextContent(content: unknown, param: string): string {
  if (typeof content === 'string') return content;
  const texts = partsOf(content, param).map((part, index) => {
    if (part.type !== 'text')
      badRequest(`${param}.${index}.type`, "must be 'text': only user messages can have other content");
    return textOf(part, `${param}.${index}`);
  });
  return texts.join('\n');
}

/** Checks that content is an array of objects, and returns it. @throws ProxyError `invalid_request_error` */
export function partsOf(content: unknown, param: string): JsonObject[] {
  if (!Array.isArray(content)) badRequest(param, 'must be a string or an array of parts');
  for (const [index, part] of content.entries()) {
    if (!isObject(part)) badRequest(`${param}.${index}`, 'must be an object');
  }
  return content;
}

/** Returns the text of a part. @throws ProxyError `invalid_request_error` */
export function textOf({ text }: JsonObject, param: string): string {
  if (typeof text !== 'string') badRequest(`${param}.text`, 'must be a string');
  return text;
}

function readPart(part: JsonObject, param: string): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: textOf(part, param) };
    case 'image_url':
      return readImage(part.image_url, `${param}.image_url`);
    case 'file':
      return readFile(part.file, `${param}.file`);
    case 'input_audio':
      return badRequest(`${param}.type`, "'input_audio' is not supported: send text, images or files");
    default:
      if (RESPONSES_API_PARTS.has(part.type)) return part;
      return badRequest(`${param}.type`, "must be 'text', 'image_url' or 'file'");
  }
}

function readImage(image: unknown, param: string): JsonObject {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  if (typeof url !== 'string' || url === '') badRequest(`${param}.url`, 'must be a URL, data URLs included');
  if (bytesOfDataUrl(url) > MAX_IMAGE_BYTES) {
    badRequest(`${param}.url`, `is an image of more than ${MAX_IMAGE_BYTES / 1_048_576} MiB`);
  }
  return { type: 'input_image', image_url: url, ...(typeof detail === 'string' && { detail }) };
}

/** Base64 has four characters for three bytes. */
const bytesOfDataUrl = (url: string): number => (url.startsWith('data:') ? (url.length - url.indexOf(',')) * 0.75 : 0);

function readFile(file: unknown, param: string): JsonObject {
  if (!isObject(file)) badRequest(param, 'must be an object');
  const { file_data: data, file_url: url, file_id: id, filename } = file;
  const named = typeof filename === 'string' ? { filename } : {};
  if (typeof data === 'string' && data !== '') {
    return { type: 'input_file', ...named, file_data: data.startsWith('data:') ? data : dataUrl(file, data) };
  }
  if (typeof url === 'string' && url !== '') return { type: 'input_file', ...named, file_url: url };
  if (id !== undefined) badRequest(`${param}.file_id`, 'is not supported: send the file itself in file_data');
  return badRequest(`${param}.file_data`, 'must be a data URL');
}

function dataUrl({ mime_type: mimeType, content_type: contentType }: JsonObject, base64: string): string {
  const type = [mimeType, contentType].find((candidate) => typeof candidate === 'string' && candidate !== '');
  return `data:${String(type ?? 'application/octet-stream')};base64,${base64}`;
}
