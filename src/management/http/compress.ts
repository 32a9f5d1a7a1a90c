import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AnyContext } from './context.ts';

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (text: string) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text: string) => promisify(gzip)(text),
} satisfies Record<string, (text: string) => Promise<Buffer>>;

/**
 * Compresses the JSON that a handler returned, if its route says that it may be and the client takes it. Streams are never
 * buffered.
 */
export async function compress(ctx: AnyContext, result: unknown): Promise<void> {
  if (!ctx.state.isCompressible || !isJson(result)) return;
  ctx.vary('accept-encoding');
  // Asked one by one: browsers name gzip first, and Koa goes by their order.
  const encoding = (['br', 'gzip'] as const).find((name) => ctx.acceptsEncodings(name));
  if (!encoding) return;
  const text = JSON.stringify(result);
  if (text.length < MIN_BYTES) return;
  const body = await encoders[encoding](text);
  ctx.set('content-encoding', encoding);
  ctx.body = body;
  ctx.type = 'json';
}

/** Whether Koa would send it as JSON. */
function isJson(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
