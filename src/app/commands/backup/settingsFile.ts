const SECRET = /KEY|SECRET|TOKEN|PASSWORD|AUTHORIZATION|HEADER/;
/** They name a file, or a key that is public. */
const NOT_SECRET = /_FILE$|WITNESS_KEY$/;

/**
 * Settings as an env file, for the operator who sets up the service again. Secrets are named, and not in it.
 * @param given name and value of each
 */
export function settingsFile(given: ReadonlyMap<string, string>): string {
  const lines = [...given]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => {
      const isSecret = (SECRET.test(name) && !NOT_SECRET.test(name)) || hasPassword(value) || /[\r\n]/.test(value);
      return isSecret ? `# ${name} was set. Its value is a secret and is not in the backup.\n` : `${name}=${value}\n`;
    });
  return `# Settings of the environment in which the backup was made.\n${lines.join('')}`;
}

/** A URL with a user, a query or a fragment may have a password in it. */
const hasPassword = (value: string): boolean => /:\/\/.*[@?#]/.test(value);
