import type { JsonObject } from '../requestBody/parseJson.ts';

/** What the specification promises of a compaction and the provider may leave out. */
const PROMISED: Readonly<JsonObject> = { object: 'response.compaction', status: 'completed' };

/** The provider's answer byte for byte, with the promised fields that it lacks before its own. */
export function completeCompaction(answer: Buffer): Buffer {
  const given = JSON.parse(answer.toString()) as JsonObject;
  const missing = Object.entries(PROMISED).filter(([name]) => !Object.hasOwn(given, name));
  if (missing.length === 0) return answer;
  const added = missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
  const rest = answer.subarray(answer.indexOf('{') + 1);
  const separator = Object.keys(given).length > 0 ? ',' : '';
  return Buffer.concat([Buffer.from(`{${added}${separator}`), rest]);
}
