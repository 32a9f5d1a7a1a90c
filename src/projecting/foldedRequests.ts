import { type AccountId, type ApiKeyId, instant, microDollars } from '../domain/brands.ts';
import type { FoldedRequest } from './foldedEvent.ts';

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

const MOST_KNOWN = 10_000;
const NO_ATTEMPTS: FoldedRequest['attempts'] = [];

/**
 * Reads from the JSON of a `RequestCompleted`, by far the most frequent event, what the hot fold needs of it: a fold of a
 * long log is mostly this.
 */
export class FoldedRequests {
  readonly #known = new Map<string, string>();

  /** @returns undefined when the text is not as settlement writes it mostly: then it has to be parsed */
  read(json: string): FoldedRequest | undefined {
    const found = REQUEST.exec(json);
    if (!found) return undefined;
    const [
      ,
      requestId = '',
      keyId,
      model = '',
      requestedAt,
      status = '',
      accountId,
      input,
      output,
      cost,
      digest,
      isFallback,
    ] = found;
    return {
      requestId,
      keyId: keyId === undefined ? null : (keyId as ApiKeyId),
      model,
      requestedAt: instant(Number(requestedAt)),
      status,
      accountId: accountId === undefined ? null : (this.#kept(accountId) as AccountId),
      usage: input === undefined ? null : { inputTokens: Number(input), outputTokens: Number(output) },
      costMicroDollars: cost === undefined ? null : microDollars(Number(cost)),
      pin: digest === undefined ? undefined : { digest: this.#kept(digest), isFallback: isFallback === 'true' },
      attempts: NO_ATTEMPTS,
    };
  }

  /** For what the fold keeps: a part of a text keeps the whole text, so each of the few values is copied out of one. */
  #kept(part: string): string {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const copy = JSON.parse(`"${part}"`) as string;
    this.#known.set(copy, copy);
    return copy;
  }
}
