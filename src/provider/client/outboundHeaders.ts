import { HeaderBlock } from '../../http/wire/headerBlock.ts';

/** Headers by which the provider knows an account; the object is shared between requests. */
export interface AccountHeaders {
  readonly authorization: string;
  /** Left out when the account's provider id is not known. */
  readonly 'chatgpt-account-id'?: string | undefined;
}

/** What goes upstream under its own name: whatever is not here, or under a prefix below, stays with us. */
const FORWARDED: ReadonlySet<string> = new Set([
  'user-agent',
  'originator',
  'version',
  'openai-beta',
  'accept-language',
  'session_id',
  'session-id',
  'thread_id',
  'thread-id',
  'conversation_id',
  'conversation-id',
  'x-client-request-id',
]);

/** Names the client's machine, which the pooled account must not learn. */
const KEPT_BACK = 'x-codex-installation-id';

/**
 * Whether a client's header is forwarded: only if it is listed, because a list of what to drop forwards what its author
 * did not think of (docs/decisions/0053-outbound-headers.md).
 * @param name in lower case
 */
const isForwarded = (name: string): boolean =>
  FORWARDED.has(name) || ((name.startsWith('x-codex-') || name.startsWith('x-openai-')) && name !== KEPT_BACK);

export interface UpstreamContent {
  /** Default: `text/event-stream`. */
  readonly accept?: string;
  /** Of the body as it is sent upstream. Default: `application/json`. */
  readonly contentType?: string | undefined;
}

/** The headers of a model request to the provider. */
export interface OutboundHeaders {
  /** What it has in common with others. */
  readonly shared: readonly HeaderBlock[];
  /** Names in lower case and values in turn. */
  readonly own: readonly string[];
}

/**
 * What the provider gets to see of a request. Runs for every one of them: one pass, no regular expression, nothing but the
 * result allocated.
 * @param clientHeaders `rawHeaders` of the incoming request
 * @param requestId ours; the client's own stays between the client and us
 */
export function upstreamHeaders(
  clientHeaders: readonly string[],
  account: AccountHeaders,
  requestId: string,
  { accept = 'text/event-stream', contentType = 'application/json' }: UpstreamContent = {},
): OutboundHeaders {
  const own = ['accept', accept, 'content-type', contentType, 'x-request-id', requestId];
  for (let index = 0; index + 1 < clientHeaders.length; index += 2) {
    const name = (clientHeaders[index] as string).toLowerCase();
    if (isForwarded(name)) own.push(name, clientHeaders[index + 1] as string);
  }
  return { shared: [blockOf(account)], own };
}

/** A token is a kilobyte or more, so its line is made once, and goes when the token does. */
const blocks = new WeakMap<AccountHeaders, HeaderBlock>();

function blockOf(account: AccountHeaders): HeaderBlock {
  let block = blocks.get(account);
  if (!block) {
    const { authorization, 'chatgpt-account-id': id } = account;
    block = new HeaderBlock(['authorization', authorization, ...(id === undefined ? [] : ['chatgpt-account-id', id])]);
    blocks.set(account, block);
  }
  return block;
}
