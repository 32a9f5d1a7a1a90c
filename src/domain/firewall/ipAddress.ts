/** An address in canonical form: dotted IPv4, or IPv6 as in RFC 5952. */
export type IpAddress = string & { readonly ip: unique symbol };

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * Normalises an address; an IPv4-mapped IPv6 address becomes its IPv4 form, so that each client has one address.
 * Zone ids (`fe80::1%eth0`), ports and octets with leading zeros are refused.
 * @returns undefined when the text is not an address
 */
export function parseIp(text: string): IpAddress | undefined {
  const trimmed = text.trim();
  const ipv4 = parseIpv4(trimmed);
  if (ipv4) return ipv4.join('.') as IpAddress;
  const groups = parseIpv6(trimmed);
  if (!groups) return undefined;
  const [a = 0, b = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return (isMapped ? [a >> 8, a & 255, b >> 8, b & 255].join('.') : formatIpv6(groups)) as IpAddress;
}

function parseIpv4(text: string): number[] | undefined {
  const match = IPV4.exec(text);
  if (!match) return undefined;
  const octets = match.slice(1).map(Number);
  const isPlain = match.slice(1).every((octet) => octet.length === 1 || !octet.startsWith('0'));
  return isPlain && octets.every((octet) => octet <= 255) ? octets : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const isWhole = halves.length === 1;
  const head = parseGroups(halves[0] ?? '', isWhole);
  const tail = parseGroups(halves[1] ?? '', true);
  if (!head || !tail) return undefined;
  if (isWhole) return head.length === 8 ? head : undefined;
  const missing = 8 - head.length - tail.length;
  return missing >= 1 ? [...head, ...Array<number>(missing).fill(0), ...tail] : undefined;
}

/** @param mayEndInIpv4 only the last 32 bits of an address may be dotted (RFC 4291 section 2.2) */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const ipv4 = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4) {
      const [a = 0, b = 0, c = 0, d = 0] = ipv4;
      groups.push((a << 8) | b, (c << 8) | d);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function formatIpv6(groups: readonly number[]): string {
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}
