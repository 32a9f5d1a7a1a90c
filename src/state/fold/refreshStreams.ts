/**
 * Prefix of the streams with the results of token refreshes. Each node writes its own, one per day; commands never
 * write to them.
 */
export const REFRESH_STREAM_PREFIX = 'refreshes-';
