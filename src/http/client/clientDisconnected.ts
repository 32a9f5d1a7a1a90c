const CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED']);

/** A connection broke because of the other end: nobody is left to answer, and nothing is wrong with us. */
export const isClientDisconnect = ({ code }: NodeJS.ErrnoException): boolean => CODES.has(code ?? '');
