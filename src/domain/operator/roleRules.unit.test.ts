import { describe, expect, test } from 'vitest';
import { parseRoleRules, roleByRules } from './roleRules.ts';

const rules = parseRoleRules('svc-admins=administrator; cn=staff,ou=groups=member ;;audit = auditor');

test('reads values with = and , as names of LDAP groups have them', () =>
  expect(rules).toEqual([
    { value: 'svc-admins', role: 'administrator' },
    { value: 'cn=staff,ou=groups', role: 'member' },
    { value: 'audit', role: 'auditor' },
  ]));

describe('refuses', () => {
  test.each([
    ['', 'must have at least one rule'],
    [' ; ', 'must have at least one rule'],
    ['svc-admins', 'has the rule "svc-admins": write value=role'],
    ['svc-admins=owner', 'the role is administrator, operator, auditor or member'],
    ['=member', 'has the rule "=member"'],
    ['a=member; a=auditor', 'has two rules for "a"'],
  ])('%j', (text, problem) => expect(() => parseRoleRules(text)).toThrow(problem));
});

test('gives the highest role of several, whatever their order', () => {
  expect(roleByRules(rules, new Set(['cn=staff,ou=groups', 'svc-admins', 'other']))).toBe('administrator');
  expect(roleByRules(rules, new Set(['cn=staff,ou=groups', 'audit']))).toBe('auditor');
});

test('gives no role without a rule for exactly this value', () => {
  expect(roleByRules(rules, new Set())).toBeUndefined();
  expect(roleByRules(rules, new Set(['SVC-ADMINS', 'svc-admins ', 'staff']))).toBeUndefined();
});
