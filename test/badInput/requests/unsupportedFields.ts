import { agentBody } from '../support/agentBody.ts';
import { type BadRequest, invalidBody, onBothRoutes } from '../support/badRequest.ts';

const FORBIDDEN_TOOLS = ['file_search', 'code_interpreter', 'computer_use', 'image_generation'];

/** Bodies with unsupported fields and values (docs/decisions/0041-request-fields.md). */
export const unsupportedFields = (): BadRequest[] =>
  onBothRoutes([
    rejected('store is true', { store: true }, 'store'),
    rejected('previous_response_id names a response', { previous_response_id: 'resp_123' }, 'previous_response_id'),
    ...FORBIDDEN_TOOLS.flatMap((type) => [
      rejected(`the tool ${type}`, { tools: [{ type }] }, 'tools.0.type'),
      rejected(`the tool ${type} after others`, { tools: [...agentBody.tools, { type, name: 'x' }] }, 'tools.4.type'),
      rejected(`the tool ${type} as tool_choice`, { tool_choice: { type } }, 'tool_choice.type'),
      rejected(
        `the tool ${type} among the allowed tools`,
        { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }, { type }] } },
        'tool_choice.tools.1.type',
      ),
      rejected(
        `the tool ${type} in a namespace`,
        { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }, { type }] }] },
        'tools.0.tools.1.type',
      ),
      rejected(
        `the tool ${type} in an item of the input`,
        { input: [...agentBody.input, { type: 'additional_tools', role: 'developer', tools: [{ type }] }] },
        `input.${agentBody.input.length}.tools.0.type`,
      ),
    ]),
    ...['', 'everything', 'Reasoning.encrypted_content', 'reasoning.encrypted_content ', '__proto__', 'usage'].map(
      (name) =>
        rejected(
          `include has ${JSON.stringify(name)}`,
          { include: ['reasoning.encrypted_content', name] },
          'include.1',
        ),
    ),
    rejected('the model is blank', { model: ' \t\n' }, 'model'),
    rejected('two fields are invalid', { input: 7, stream: 'yes' }, undefined),
  ]);

const rejected = (name: string, change: Record<string, unknown>, param: string | undefined) =>
  invalidBody(name, JSON.stringify({ ...agentBody, ...change }), param === undefined ? {} : { param });
