/** Everything a test needs to say what the provider shall do. */
export * from './answers.ts';
export * from './brokenStreams.ts';
export { json, whole } from './http.ts';
export * from './refusals.ts';
export type { Asked, ResponseScript, Step, Wire } from './responseScript.ts';
export { HELLO, stream } from './stream.ts';
export { usageWindow } from './usage.ts';
export * from './variations.ts';
