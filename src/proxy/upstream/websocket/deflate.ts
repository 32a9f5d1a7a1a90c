/**
 * How messages of websockets are compressed where that is switched on. Without context takeover, because a context costs each
 * socket 300 KiB (docs/decisions/0107-websockets.md). Two at a time in the process, because a piece of a message takes its share
 * of memory when it has been unpacked.
 */
export const DEFLATE = { clientNoContextTakeover: true, serverNoContextTakeover: true, concurrencyLimit: 2 } as const;
