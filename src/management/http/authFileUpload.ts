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
        const isAuthFile = part.name === PART_NAME || part.name === PART_ALIAS;
        if (!isAuthFile && part.name !== PROXY_PART) return;
        // A part with a media type is a file, and formidable writes files to disk, where tokens must not go. Without one
        // the part is a field, which stays in memory; latin1 keeps its bytes unchanged.
        Object.assign(part, { ...(isAuthFile && { name: PART_NAME }), mimetype: null, transferEncoding: 'latin1' });
        handlePart(part);
      },
    },
  });
  await parse(ctx as never, async () => undefined);
}

const PART_NAME = 'auth_json';
const PART_ALIAS = 'authJson';
const PROXY_PART = 'proxy';

/** The form of an import. */
export interface AccountUpload {
  readonly authFile: Uint8Array;
  /** The address of a proxy for the account. */
  readonly proxy: string | undefined;
}

/**
 * Reads the part `auth_json` of a multipart form, and the part `proxy` if there is one.
 * @throws Refusal `invalid_auth_json` | `validation_error`
 */
export async function readAccountUpload(ctx: ManagementContext): Promise<AccountUpload> {
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
  const parts = (ctx.request as { body?: Record<string, unknown> }).body;
  const content = parts?.[PART_NAME];
  if (content === undefined) return refuse('invalid_auth_json', { problem: `the form has no part "${PART_NAME}"` });
  if (typeof content !== 'string')
    return refuse('invalid_auth_json', { problem: `the form has several parts "${PART_NAME}"` });
  const proxy = parts?.[PROXY_PART];
  if (proxy !== undefined && typeof proxy !== 'string')
    return refuse('validation_error', { param: PROXY_PART, problem: 'is given twice' });
  return {
    authFile: Buffer.from(content, 'latin1'),
    proxy: proxy ? Buffer.from(proxy, 'latin1').toString('utf8') : undefined,
  };
}
