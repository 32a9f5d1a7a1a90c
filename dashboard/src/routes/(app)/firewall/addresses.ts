/** What is wrong with a text as an address, while it is typed; undefined: nothing. The service has the last word. */
export function addressError(text: string, taken: readonly string[] = []): string | undefined {
  const address = text.trim();
  if (address === '') return undefined;
  if (/[/]/.test(address)) return 'Enter a single address. Networks such as 10.0.0.0/8 are not supported.';
  if (/%/.test(address)) return 'Omit the zone: fe80::1 instead of fe80::1%eth0.';
  if (!isIPv4(address) && !isIPv6(address)) return 'Enter an IPv4 or IPv6 address such as 192.0.2.7 or 2001:db8::7.';
  if (taken.includes(address.toLowerCase())) return 'This address is already on the allowlist.';
  return undefined;
}

const isIPv4 = (text: string) =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) &&
  text.split('.').every((part) => Number(part) <= 255 && String(Number(part)) === part);

/** URL parsing accepts only an IPv6 address in brackets. */
const isIPv6 = (text: string) => text.includes(':') && /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`);

/** Whether a change of the allowlist would newly block the operator’s own address. */
export function wouldBlock(
  change: { readonly add: string } | { readonly remove: string },
  entries: readonly string[],
  own: string,
): boolean {
  const after = 'add' in change ? [...entries, change.add] : entries.filter((entry) => entry !== change.remove);
  const isBlockedNow = entries.length > 0 && !entries.includes(own);
  return !isBlockedNow && after.length > 0 && !after.includes(own);
}
