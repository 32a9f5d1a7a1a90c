import { fileURLToPath } from 'node:url';

/**
 * Where Node keeps code that it has stripped of types and compiled, for every process and thread that tests start: each
 * takes half as long with it. Written when one of them ends in order.
 */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/svc-compiled', import.meta.url));
