// Plain JavaScript, as all that is loaded before compiled code is cached.

import { setFlagsFromString } from 'node:v8';

/** The heap of a thread may grow by so much of what is in use before all of it is collected again. */
const PERCENT = 100;

/**
 * Lets the heaps of all threads double between two collections. By itself V8 lets one grow by a fifth where collecting takes
 * little of its thread's own time: under load the main thread's was collected once or twice a second, and V8 does not count
 * what its helper threads take for that, 20 to 40 us of a request. See decision 0141.
 *
 * Compiled code belongs to the options that V8 had: call it before any is read or cached.
 */
export function letHeapsDouble() {
  setFlagsFromString(`--heap-growing-percent=${PERCENT}`);
}
