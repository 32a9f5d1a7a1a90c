import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';

const LIMIT_BYTES = 1_048_576;

/** The parser is loaded by the first upload, not by every start. */
async function parseMultipart(ctx: ManagementContext): Promise<void> {
  const { koaBody } = await import('koa-body');
  const parse = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFieldsSize: LIMIT_BYTES,
      maxFields: 10,
      onPart(part, handlePart) {
        if (part.name !== PART && part.name !== SPELLED_OTHERWISE) return;
        // A part with a type is a file, and files go to the disk: tokens must not. As a field it stays in memory, and
        // latin1 carries its bytes unchanged.
        Object.assign(part, { name: PART, mimetype: null, transferEncoding: 'latin1' });
        handlePart(part);
      },
    },
  });
  await parse(ctx as never, async () => undefined);
}

const PART = 'auth_json';
const SPELLED_OTHERWISE = 'authJson';

/**
 * The bytes of the part `auth_json` of a multipart form.
 * @throws Refusal `invalid_auth_json`
 */
export async function uploadedAuthFile(ctx: ManagementContext): Promise<Uint8Array> {
  if (!ctx.is('multipart/form-data')) {
    return refuse('invalid_auth_json', { problem: `send the auth file as part "${PART}" of multipart/form-data` });
  }
  try {
    await parseMultipart(ctx);
  } catch (error) {
    const isTooLarge = (error as { httpCode?: number }).httpCode === 413;
    refuse('invalid_auth_json', {
      problem: isTooLarge
        ? `the auth file is larger than ${LIMIT_BYTES} bytes`
        : 'the form is not valid multipart/form-data',
    });
  }
  const content = (ctx.request as { body?: Record<string, unknown> }).body?.[PART];
  if (content === undefined) return refuse('invalid_auth_json', { problem: `the form has no part "${PART}"` });
  if (typeof content !== 'string')
    return refuse('invalid_auth_json', { problem: `the form has several parts "${PART}"` });
  return Buffer.from(content, 'latin1');
}
