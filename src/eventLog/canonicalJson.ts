/** A value that JSON would drop, change or reorder; `path` reads like `$.attempts[0].code`. */
interface Loss {
  readonly path: string;
  readonly reason: string;
}

const MAX_DEPTH = 64;
const INTEGER_LIKE = /^(?:0|[1-9]\d*)$/;

/**
 * Finds a value that would not survive `JSON.stringify` and `JSON.parse`. Such data cannot be logged: the bytes read back
 * would differ, so the hash could not be verified. Properties that are `undefined` are fine, JSON leaves them out. One
 * walk is cheaper than a parse and a stringify.
 * @returns path and reason of the first such value, or undefined when there is none
 */
export function findJsonLoss(data: unknown): string | undefined {
  const loss = lossIn(data, 0);
  return loss && `$${loss.path} ${loss.reason}`;
}

function lossIn(value: unknown, depth: number): Loss | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : loss('contains half of a surrogate pair');
    case 'number':
      return lossInNumber(value);
    case 'boolean':
      return undefined;
    case 'object':
      if (value === null) return undefined;
      if (depth === MAX_DEPTH) return loss(`is nested deeper than ${MAX_DEPTH} levels`);
      return Array.isArray(value) ? lossInArray(value, depth) : lossInObject(value, depth);
    default:
      return loss(`is a ${typeof value}, which JSON cannot represent`);
  }
}

function lossInNumber(value: number): Loss | undefined {
  if (!Number.isFinite(value)) return loss(`is ${value}, which JSON cannot represent`);
  if (Object.is(value, -0)) return loss('is -0, which JSON writes as 0');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return loss('is an integer beyond 2^53');
  return undefined;
}

function lossInArray(values: readonly unknown[], depth: number): Loss | undefined {
  for (let index = 0; index < values.length; index += 1) {
    const found = lossIn(values[index], depth + 1);
    if (found) return { path: `[${index}]${found.path}`, reason: found.reason };
  }
  return undefined;
}

function lossInObject(value: object, depth: number): Loss | undefined {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return loss('is not a plain object');
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const found = lossInKey(key) ?? lossIn(member, depth + 1);
    if (found) return { path: `.${key}${found.path}`, reason: found.reason };
  }
  return undefined;
}

function lossInKey(key: string): Loss | undefined {
  const first = key.charCodeAt(0);
  if (first >= 48 && first <= 57 && INTEGER_LIKE.test(key)) return loss('has a key that looks like an integer');
  return key.isWellFormed() ? undefined : loss('has a key with half of a surrogate pair');
}

const loss = (reason: string): Loss => ({ path: '', reason });
