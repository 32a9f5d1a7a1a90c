/** The version of `RequestCompleted` whose JSON is read here. */
export const FOLDED_REQUEST_VERSION = 1;

/** Without escapes: whatever has one is left to the parser. */
const characters = String.raw`[^"\\\x00-\x1f]*`;
const text = `"${characters}"`;
const textOrNull = `(?:null|${text})`;
const readOrNull = `(?:null|"(${characters})")`;
const count = '(?:[1-9][0-9]*|0)';
const countOrNull = `(?:null|${count})`;
const flag = '(?:true|false)';
const decision = `"decidedAt":${count},"asOf":${count},"v":${count},`;
const overlay = `"overlay":\\{"turn":${count}\\},`;
const attempt = `\\{${decision}(?:${overlay})?"accountId":${text},"startedAt":${count},"endedAt":${count},"outcome":${text}\\}`;
const reserved = `\\[${count},${count}\\]`;
const admission =
  `\\{${decision}"estimate":\\{"inputTokens":${count},"outputTokens":${count},"costMicroDollars":${count}\\},` +
  `"reserved":\\[(?:${reserved}(?:,${reserved})*)?\\]\\}`;

// From the first character to the last, in the order in which settlement writes: what matches is JSON, and says this. A
// limit that the provider pronounced, and all that is rare, does not match.
const REQUEST = new RegExp(
  `^\\{"requestId":"(${characters})","keyId":${readOrNull},"route":${text},"model":"(${characters})","effort":${textOrNull},` +
    `"requestedAt":(${count}),(?:"admission":${admission},)?"status":"(${characters})",` +
    `"errorCode":${textOrNull},"errorMessage":${textOrNull},"accountId":${readOrNull},` +
    `"latencyMs":${count},"firstByteMs":${countOrNull},"usage":(?:null|\\{"inputTokens":(${count}),"cachedInputTokens":${count},` +
    `"outputTokens":(${count}),"reasoningTokens":${count},"isEstimated":${flag}\\}),"costMicroDollars":(?:null|(${count})),` +
    `"priceVersion":${textOrNull},(?:"serviceTier":${text},)?(?:"pin":\\{"digest":"(${characters})","isFallback":(${flag})\\},)?` +
    `"attempts":\\[(?:${attempt}(?:,${attempt})*)?\\]\\}$`,
);

/** What the fold needs of a completed request, as parts of its JSON; what is null or absent there is undefined. */
export type RequestParts = [
  json: string,
  requestId: string,
  keyId: string | undefined,
  model: string,
  requestedAt: string,
  status: string,
  accountId: string | undefined,
  inputTokens: string | undefined,
  outputTokens: string | undefined,
  costMicroDollars: string | undefined,
  digest: string | undefined,
  isFallback: string | undefined,
];

/**
 * Reads from the JSON of a `RequestCompleted`, by far the most frequent event, what the hot fold needs of it: a fold of a
 * long log is mostly this.
 * @returns undefined when it is no completed request as settlement writes it mostly: then it has to be parsed
 */
export function requestParts(type: string, version: number, json: string): RequestParts | undefined {
  if (type !== 'RequestCompleted' || version !== FOLDED_REQUEST_VERSION) return undefined;
  return (REQUEST.exec(json) ?? undefined) as RequestParts | undefined;
}
