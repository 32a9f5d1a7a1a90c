import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';

const MAX_AUTH_FILE_BYTES = 1_048_576;

/** Imports koa-body at the first upload instead of at start, because it loads seventy modules. */
async function parseMultipart(ctx: ManagementContext): Promise<void> {
  const { koaBody } = await import('koa-body');
  const parse = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFieldsSize: MAX_AUTH_FILE_BYTES,
      maxFields: 10,
      onPart(part, handlePart) {
        if (part.name !== PART_NAME && part.name !== PART_ALIAS) return;
        // A part with a media type is a file, and formidable writes files to disk, where tokens must not go. Without one
        // the part is a field, which stays in memory; latin1 keeps its bytes unchanged.
        Object.assign(part, { name: PART_NAME, mimetype: null, transferEncoding: 'latin1' });
        handlePart(part);
      },
    },
  });
  await parse(ctx as never, async () => undefined);
}

const PART_NAME = 'auth_json';
const PART_ALIAS = 'authJson';

/**
 * Reads the bytes of the part `auth_json` of a multipart form.
 * @throws Refusal `invalid_auth_json`
 */
export async function readAuthFileUpload(ctx: ManagementContext): Promise<Uint8Array> {
  if (!ctx.is('multipart/form-data')) {
    return refuse('invalid_auth_json', { problem: `send the auth file as part "${PART_NAME}" of multipart/form-data` });
  }
  try {
    await parseMultipart(ctx);
  } catch (error) {
    const isTooLarge = (error as { httpCode?: number }).httpCode === 413;
    refuse('invalid_auth_json', {
      problem: isTooLarge
        ? `the auth file is larger than ${MAX_AUTH_FILE_BYTES} bytes`
        : 'the form is not valid multipart/form-data',
    });
  }
  const content = (ctx.request as { body?: Record<string, unknown> }).body?.[PART_NAME];
  if (content === undefined) return refuse('invalid_auth_json', { problem: `the form has no part "${PART_NAME}"` });
  if (typeof content !== 'string')
    return refuse('invalid_auth_json', { problem: `the form has several parts "${PART_NAME}"` });
  return Buffer.from(content, 'latin1');
}
