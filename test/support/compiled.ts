import { fileURLToPath } from 'node:url';

/**
 * Node's compile cache for every process and thread that tests start. It halves the time of a start. Node writes it when a
 * process exits normally.
 */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/svc-compiled', import.meta.url));
