import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const HEAD = `// Generated from the OpenAPI document by "npm run docs". Do not edit.

`;

/** TypeScript types of an OpenAPI document. */
export async function typesOf(document: unknown): Promise<string> {
  return HEAD + astToString(await openapiTS(document as OpenAPI3, { alphabetize: true }));
}
