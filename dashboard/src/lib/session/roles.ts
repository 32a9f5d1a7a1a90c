import type { Role } from './session.svelte.ts';

/** Labels of the roles and what they may do, from the most to the least. */
export const ROLES = {
  administrator: { label: 'Administrator', may: 'Everything, and who else may sign in.' },
  operator: { label: 'Operator', may: 'Manages accounts, API keys, teams, limits and the firewall.' },
  auditor: { label: 'Auditor', may: 'Reads everything, verifies and exports evidence, changes nothing.' },
  member: { label: 'Member', may: 'Has own API keys and sees their usage.' },
} as const satisfies Record<Role, { label: string; may: string }>;

const BY_RANK = Object.keys(ROLES) as Role[];

/** The roles that are not above a role, from the most to the least: what its holder may grant. */
export const grantableBy = (role: Role): Role[] => BY_RANK.slice(BY_RANK.indexOf(role));
