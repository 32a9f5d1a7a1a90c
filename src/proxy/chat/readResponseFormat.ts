import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Maps `response_format` to the provider's `text.format`. @throws ProxyError `invalid_request_error` */
export function readResponseFormat(format: unknown): JsonObject | undefined {
  if (format === undefined || format === null) return undefined;
  if (!isObject(format)) badRequest('response_format', 'must be an object');
  switch (format.type) {
    case 'text':
    case 'json_object':
      return { type: format.type };
    case 'json_schema':
      return readSchema(format.json_schema, 'response_format.json_schema');
    default:
      return badRequest('response_format.type', "must be 'text', 'json_object' or 'json_schema'");
  }
}

function readSchema(jsonSchema: unknown, param: string): JsonObject {
  if (!isObject(jsonSchema)) badRequest(param, 'must be an object');
  const { name, description, schema, strict } = jsonSchema;
  if (typeof name !== 'string' || !NAME.test(name)) {
    badRequest(`${param}.name`, 'must be 1 to 64 letters, digits, underscores or hyphens');
  }
  if (!isObject(schema)) badRequest(`${param}.schema`, 'must be an object');
  return {
    type: 'json_schema',
    name,
    ...(typeof description === 'string' && { description }),
    schema,
    ...(typeof strict === 'boolean' && { strict }),
  };
}
