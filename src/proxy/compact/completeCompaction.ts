import type { JsonObject } from '../requestBody/parseJson.ts';

/** Fields that clients can rely on and the provider may omit. */
const DEFAULTS: Readonly<JsonObject> = { object: 'response.compaction', status: 'completed' };

/** Inserts missing default fields at the start of the provider's response, and keeps its other bytes unchanged. */
export function completeCompaction(response: Buffer): Buffer {
  const fields = JSON.parse(response.toString()) as JsonObject;
  const missing = Object.entries(DEFAULTS).filter(([name]) => !Object.hasOwn(fields, name));
  if (missing.length === 0) return response;
  const added = missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
  const rest = response.subarray(response.indexOf('{') + 1);
  const separator = Object.keys(fields).length > 0 ? ',' : '';
  return Buffer.concat([Buffer.from(`{${added}${separator}`), rest]);
}
