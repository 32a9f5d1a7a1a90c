import { roles as byRank, type Role } from './role.ts';

/** Whether someone who acts with all of `own` may give `role` to a person or a token: no one grants a role above their own. */
export const mayGrant = (own: readonly Role[], role: Role): boolean =>
  own.every((each) => byRank.indexOf(each) <= byRank.indexOf(role));

/** The lower one of the roles that a principal acts with; a route must admit all of them. */
export const lowestRole = (own: readonly [Role, ...Role[]]): Role =>
  own.reduce((lowest, role) => (byRank.indexOf(role) > byRank.indexOf(lowest) ? role : lowest));
