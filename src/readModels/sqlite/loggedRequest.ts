import type { LoggedRequest } from '../../../projections/requestLog.ts';
import { instant, microDollars } from '../../domain/core/brands.ts';

/** The version of `RequestCompleted` whose JSON is read here. */
export const LOGGED_REQUEST_VERSION = 1;

const text = '"(?:[^"\\\\]|\\\\.)*"';
const textOrNull = `(?:null|${text})`;
const number = '(\\d+)';
const numberOrNull = '(?:null|(\\d+))';

// In the order in which settlement writes them. Within `admission` there are only objects and numbers, and a quote within a
// text is escaped, so that no text can be taken for the name of a field.
const FIELDS = new RegExp(
  `^\\{"requestId":"([^"\\\\]*)",` +
    `("keyId":${textOrNull},"route":${text},"model":${text},"effort":${textOrNull}),` +
    `"requestedAt":${number},(?:"admission":\\{.*?\\},)?` +
    `("status":${text},"errorCode":${textOrNull},"errorMessage":${textOrNull},"accountId":${textOrNull}),` +
    `"latencyMs":${number},"firstByteMs":${numberOrNull},` +
    `"usage":(?:null|\\{"inputTokens":${number},"cachedInputTokens":${number},"outputTokens":${number},` +
    `"reasoningTokens":${number},"isEstimated":(true|false)\\}),"costMicroDollars":${numberOrNull},`,
);
const ATTEMPTS = '"attempts":[';
/** Every attempt has one, and nothing else has. */
const ATTEMPT = '"startedAt":';

type Asked = Pick<LoggedRequest, 'keyId' | 'route' | 'model' | 'effort'>;
type Ended = Pick<LoggedRequest, 'status' | 'errorCode' | 'errorMessage' | 'accountId'>;

/**
 * Reads from the JSON of a `RequestCompleted`, by far the most frequent event, what read models need of it: a fifth of what
 * parsing all of it costs. Who asked for what, and how it ended, are few and come again and again, so they are parsed once.
 */
export class LoggedRequests {
  readonly #asked = new Repeated<Asked>();
  readonly #ended = new Repeated<Ended>();

  /** @returns undefined when the text is not as settlement writes it: then it has to be parsed */
  read(json: string): LoggedRequest | undefined {
    const found = FIELDS.exec(json);
    const attempts = found ? json.indexOf(ATTEMPTS, found[0].length) : -1;
    if (!found || attempts === -1) return undefined;
    const { keyId, route, model, effort } = this.#asked.parse(found[2] as string);
    const { status, errorCode, errorMessage, accountId } = this.#ended.parse(found[4] as string);
    return {
      requestId: found[1] as string,
      keyId,
      route,
      model,
      effort,
      requestedAt: instant(Number(found[3])),
      status,
      errorCode,
      errorMessage,
      accountId,
      latencyMs: Number(found[5]),
      firstByteMs: found[6] === undefined ? null : Number(found[6]),
      usage:
        found[7] === undefined
          ? null
          : {
              inputTokens: Number(found[7]),
              cachedInputTokens: Number(found[8]),
              outputTokens: Number(found[9]),
              reasoningTokens: Number(found[10]),
              isEstimated: found[11] === 'true',
            },
      costMicroDollars: found[12] === undefined ? null : microDollars(Number(found[12])),
      attempts: { length: countOf(ATTEMPT, json, attempts) },
    };
  }
}

const MAX_ENTRIES = 10_000;

/** Fields of an object as JSON, and what they were parsed to. */
class Repeated<Fields> {
  readonly #known = new Map<string, Fields>();

  parse(json: string): Fields {
    const known = this.#known.get(json);
    if (known) return known;
    if (this.#known.size >= MAX_ENTRIES) this.#known.clear();
    const fields = JSON.parse(`{${json}}`) as Fields;
    this.#known.set(json, fields);
    return fields;
  }
}

function countOf(part: string, json: string, from: number): number {
  let count = 0;
  for (let at = json.indexOf(part, from); at !== -1; at = json.indexOf(part, at + part.length)) count++;
  return count;
}
