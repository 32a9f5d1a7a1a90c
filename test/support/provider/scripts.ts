/** Everything a test needs to script the provider. */

export * from './brokenStreams.ts';
export * from './errorResponses.ts';
export * from './heldResponse.ts';
export { errorJson, fullResponse, json } from './http.ts';
export type { Fragmentation, ResponseScript, ScriptContext, Step } from './responseScript.ts';
export * from './responses.ts';
export * from './sockets/socketScripts.ts';
export { HELLO, stream } from './stream.ts';
export { usageWindow } from './usage.ts';
export * from './variations.ts';
