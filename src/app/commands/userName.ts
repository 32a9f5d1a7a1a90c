import { userInfo } from 'node:os';

/** The name of the user that runs this process; some containers have none. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
