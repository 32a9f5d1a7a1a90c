/** A client as it names itself. */
export interface ClientName {
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** Names, versions and originators are cut to this length. */
export const MAX_CLIENT_CHARACTERS = 64;

/** A product and its version, separated by `/` or a space: `codex_exec/0.169.0`, `OpenAI/JS 7.57.0`, `ai-sdk/openai/4.0.118`. */
const PRODUCT = /^([^\s;,()]+?)[/ ]v?(\d[\w.+-]*)/;
/** The characters that products and versions consist of, without those that JSON escapes. */
const UNUSUAL = /[^\x21\x23-\x5b\x5d-\x7e]+/g;

/**
 * The name and the version in a user agent; for one without a version its first word. Clients choose their user agents freely, so
 * the parts are cleaned.
 */
export function clientNameOf(userAgent: string | undefined): ClientName {
  const text = userAgent?.slice(0, 4 * MAX_CLIENT_CHARACTERS).trim() ?? '';
  const [, product, version] = PRODUCT.exec(text) ?? [];
  return { name: cleanClientText(product ?? text.split(' ', 1)[0]), version: cleanClientText(version) };
}

/** A text that a client chose, with printable ASCII only and at most `MAX_CLIENT_CHARACTERS`; undefined when nothing remains. */
export const cleanClientText = (text: string | undefined): string | undefined =>
  text?.replaceAll(UNUSUAL, ' ').trim().slice(0, MAX_CLIENT_CHARACTERS).trim() || undefined;
