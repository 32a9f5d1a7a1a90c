/** Id of the built-in administrator, who signs in with the dashboard password. Events of before operators existed are theirs. */
export const BUILT_IN_ADMINISTRATOR = 'administrator';
