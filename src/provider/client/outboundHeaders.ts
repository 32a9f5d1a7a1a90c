import { HeaderBlock } from '../../http/wire/headers.ts';

/** Headers that identify an account to the provider; requests share the object. */
export interface AccountHeaders {
  readonly authorization: string;
  /** Omitted if the provider's id of the account is unknown. */
  readonly 'chatgpt-account-id'?: string | undefined;
  /** Where the account's workspace requires its requests to be processed; omitted if anywhere will do. */
  readonly [RESIDENCY]?: string | undefined;
}

/** Of the account, never of the client: its own workspace may be in another region than the account that serves it. */
export const RESIDENCY = 'x-openai-internal-codex-residency';

/**
 * Client headers that are forwarded, besides those with the prefix `x-codex-`. Of `x-openai-*` only those that describe the request:
 * others describe the workspace that the client is signed in to.
 */
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
  'x-openai-internal-codex-responses-lite',
  'x-openai-memgen-request',
  'x-openai-subagent',
]);

/** Identifies the client's machine, which must not be linked to the pooled account. */
const INSTALLATION_ID = 'x-codex-installation-id';

/**
 * Whether a client's header is forwarded. An allowlist, because a denylist would let unknown headers through
 * (docs/decisions/0053-outbound-headers.md).
 * @param name in lower case
 */
const isForwarded = (name: string): boolean =>
  FORWARDED.has(name) || (name.startsWith('x-codex-') && name !== INSTALLATION_ID);

/** More spellings than clients use, so that invented names take no memory. */
const MAX_NAMES = 500;
const MAX_CACHED_NAME = 100;
/** Of names as sent, which repeat with every request: null for those that are not forwarded. */
const forwardedNames = new Map<string, string | null>();

/** @param sent the name of a client's header @returns the name in lower case if it is forwarded */
function forwardedName(sent: string): string | null {
  const known = forwardedNames.get(sent);
  if (known !== undefined) return known;
  const name = sent.toLowerCase();
  const forwarded = isForwarded(name) ? name : null;
  if (sent.length > MAX_CACHED_NAME) return forwarded;
  if (forwardedNames.size >= MAX_NAMES) forwardedNames.clear();
  forwardedNames.set(sent, forwarded);
  return forwarded;
}

/** What a request accepts and sends. */
export interface OutboundContent {
  /** Default: `text/event-stream`. */
  readonly accept?: string;
  /** Content type of the body sent to the provider. Default: `application/json`. */
  readonly contentType?: string | undefined;
  /** Names the conversation, for a client that has not sent such a header. */
  readonly sessionId?: string | undefined;
}

/** The headers of a model request to the provider. */
export interface OutboundHeaders {
  /** Headers shared with other requests. */
  readonly shared: readonly HeaderBlock[];
  /** Alternating lower-case names and values. */
  readonly own: readonly string[];
}

/**
 * Builds the headers of a request to the provider. Runs for each request: one pass, no regular expression, no allocation but
 * the result.
 * @param clientHeaders `rawHeaders` of the incoming request
 * @param requestId the id that svc gave the request; an id of the client is not forwarded
 */
export function outboundHeaders(
  clientHeaders: readonly string[],
  account: AccountHeaders,
  requestId: string,
  { accept = 'text/event-stream', contentType = 'application/json', sessionId }: OutboundContent = {},
): OutboundHeaders {
  const own = ['accept', accept, 'content-type', contentType, 'x-request-id', requestId];
  if (sessionId !== undefined) own.push('session-id', sessionId);
  for (let index = 0; index + 1 < clientHeaders.length; index += 2) {
    const name = forwardedName(clientHeaders[index] as string);
    if (name !== null) own.push(name, clientHeaders[index + 1] as string);
  }
  return { shared: [blockOf(account)], own };
}

/** Access tokens have a kilobyte or more, so their header lines are built once. Garbage-collected with the account's headers. */
const blocks = new WeakMap<AccountHeaders, HeaderBlock>();

function blockOf(account: AccountHeaders): HeaderBlock {
  let block = blocks.get(account);
  if (!block) {
    const { authorization, 'chatgpt-account-id': id, [RESIDENCY]: region } = account;
    block = new HeaderBlock([
      ...['authorization', authorization],
      ...(id === undefined ? [] : ['chatgpt-account-id', id]),
      ...(region === undefined ? [] : [RESIDENCY, region]),
    ]);
    blocks.set(account, block);
  }
  return block;
}
