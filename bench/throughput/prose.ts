const WORDS =
  'the file service reads writes a request account window limit and then checks whether every stream ends in one terminal event before it returns to client while tests describe what should happen when provider answers late or never'.split(
    ' ',
  );

/** Text of exactly `length` ASCII characters; equal seeds give equal texts, so that runs are comparable. */
export function prose(length: number, seed: number): string {
  let state = seed * 2654435761;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += `${WORDS[(state >>> 8) % WORDS.length]} `;
  }
  return text.slice(0, length);
}
