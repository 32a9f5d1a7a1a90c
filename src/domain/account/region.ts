/**
 * Whether a text names a region in which the provider processes requests, such as `us` and `eu`. What else a token may contain is no
 * region, and does not go into a header.
 */
export const isRegion = (text: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(text);
