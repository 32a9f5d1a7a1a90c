import { fullResponse } from './http.ts';
import type { ResponseScript } from './responseScript.ts';

type Accounts = readonly { readonly email: string; readonly plan: string }[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

const page = (status: number, title: string, body: string): ResponseScript =>
  fullResponse(
    status,
    'text/html; charset=utf-8',
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}`,
    { name: title },
  );

const button = (name: string, value: string, text: string) =>
  `<p><button name="${name}" value="${escapeHtml(value)}">${escapeHtml(text)}</button>`;

const buttons = (accounts: Accounts) =>
  [
    ...accounts.map(({ email, plan }) => button('login', email, `${email} (${plan})`)),
    button('deny', '1', 'Deny'),
  ].join('');

/** Asks for the account to sign in to. */
export function signInPage(query: Record<string, string>, accounts: Accounts): ResponseScript {
  const hiddenFields = Object.entries(query).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const form = `<form action="/oauth/authorize">${hiddenFields.join('')}${buttons(accounts)}</form>`;
  return page(200, 'Simulated provider: sign in as', form);
}

/** Asks for a device code. */
export const devicePage = (userCode: string, accounts: Accounts): ResponseScript =>
  page(
    200,
    'Simulated provider: enter your device code',
    `<form method="post" action="/codex/device"><label>Code <input name="user_code" value="${escapeHtml(userCode)}" required></label>${buttons(accounts)}</form>`,
  );

export const problemPage = (problem: string, status = 400): ResponseScript => page(status, problem, '');
