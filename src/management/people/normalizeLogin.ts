/**
 * Names and addresses that a reader cannot tell apart are one login: case, width, how letters are composed, kinds of dashes, spaces, and
 * what is invisible make no difference. Letters of different scripts do; `profileSchema` refuses words that mix them.
 */
export const normalizeLogin = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\p{Dash_Punctuation}/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFKC');
