import { type Role, roles } from './role.ts';

/** Gives a role to people by a value that the OpenID provider claims of them, for example the name of a group. */
export interface RoleRule {
  readonly value: string;
  readonly role: Role;
}

/** Rules cannot be read. The message is the predicate of a sentence, e.g. "must have ...". */
export class InvalidRoleRules extends Error {
  override readonly name = 'InvalidRoleRules';
}

/**
 * Reads rules such as `svc-admins=administrator; svc-staff=member`. A value may contain `=` and `,`, as names of LDAP groups do: the
 * role is what follows the last `=`.
 * @throws InvalidRoleRules
 */
export function parseRoleRules(text: string): RoleRule[] {
  const rules = text
    .split(';')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '')
    .map(parseRule);
  if (rules.length === 0) throw new InvalidRoleRules('must have at least one rule such as svc-admins=administrator');
  const twice = rules.find(({ value }, index) => rules.findIndex((other) => other.value === value) !== index);
  if (twice) throw new InvalidRoleRules(`has two rules for "${twice.value}"`);
  return rules;
}

function parseRule(rule: string): RoleRule {
  const end = rule.lastIndexOf('=');
  const value = rule.slice(0, Math.max(0, end)).trim();
  const role = roles.find((each) => each === rule.slice(end + 1).trim());
  if (value !== '' && role) return { value, role };
  throw new InvalidRoleRules(
    `has the rule "${rule}": write value=role, where the role is ${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}, and ; between rules`,
  );
}

/** The highest role that the claimed values have a rule for; undefined without one. */
export function roleByRules(rules: readonly RoleRule[], claimed: ReadonlySet<string>): Role | undefined {
  const matched = new Set(rules.filter(({ value }) => claimed.has(value)).map(({ role }) => role));
  return roles.find((role) => matched.has(role));
}
