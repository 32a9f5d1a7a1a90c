import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const HEAD = `// Made from the OpenAPI document by "npm run docs": do not change it by hand.

`;

/** TypeScript of everything that an OpenAPI document tells. */
export async function typesOf(document: unknown): Promise<string> {
  return HEAD + astToString(await openapiTS(document as OpenAPI3, { alphabetize: true }));
}
