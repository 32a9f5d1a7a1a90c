const CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECANCELED']);

/** Whether an error means that the client closed the connection: then nothing can be sent, and nothing needs a report. */
export const isClientDisconnect = ({ code }: NodeJS.ErrnoException): boolean => CODES.has(code ?? '');
