import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AnyContext } from './context.ts';
import { jsonInSlices } from './jsonInSlices.ts';

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} satisfies Record<string, (bytes: Buffer) => Promise<Buffer>>;

/**
 * Writes the object that a handler returned as JSON, a long list in slices, and compresses it if its route allows that and the client
 * takes it. Streams are never buffered.
 */
export async function sendJson(ctx: AnyContext, result: unknown): Promise<void> {
  if (!isJson(result)) return;
  const bytes = await jsonInSlices(result);
  const encoding = ctx.state.isCompressible ? encodingFor(ctx) : undefined;
  if (encoding && bytes.length >= MIN_BYTES) {
    ctx.body = await encoders[encoding](bytes);
    ctx.set('content-encoding', encoding);
  } else ctx.body = bytes;
}

function encodingFor(ctx: AnyContext): keyof typeof encoders | undefined {
  ctx.vary('accept-encoding');
  // Asked one by one: browsers name gzip first, and Koa goes by their order.
  return (['br', 'gzip'] as const).find((name) => ctx.acceptsEncodings(name));
}

/** Whether Koa would send it as JSON. */
function isJson(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
