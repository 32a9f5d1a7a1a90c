import type { JsonObject } from '../requestBody/parseJson.ts';
import { toResponsesBody } from './toResponsesBody.ts';

export const model = 'gpt-5.1';
export const user = (content: unknown) => ({ role: 'user', content });
export const hi = user('hi');
export const messageItem = (role: string, type: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type, text }],
});
export const hiItem = messageItem('user', 'input_text', 'hi');

export const mapChat = (fields: JsonObject) => toResponsesBody({ model, messages: [hi], ...fields });
