/**
 * Characters that could end a line, move the cursor of a terminal, or change the order or the look of what stands beside them:
 * control characters (C0, DEL and C1, so also ESC), U+2028 and U+2029, format characters (bidirectional overrides, invisible
 * ones), and halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const codeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** Text from outside for a line or a terminal: characters that could forge a line or hide text are written as `\u001b`. */
export const escapeText = (text: string): string => text.replace(UNSAFE, (found) => SHORT[found] ?? codeUnits(found));

/**
 * The same for a document of JSON without line breaks between its tokens: it keeps its meaning, because such characters stand
 * in strings only.
 */
export const escapeJson = (json: string): string => json.replace(UNSAFE, codeUnits);
