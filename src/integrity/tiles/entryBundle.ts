// A bundle is the concatenation of leaf entries, each after its length as a big-endian uint16 (https://c2sp.org/tlog-tiles).

const MAX_ENTRY_BYTES = 0xffff;

/** @throws RangeError for an entry above 65,535 bytes */
export function encodeBundle(entries: readonly Buffer[]): Buffer {
  let bytes = 0;
  for (const { length } of entries) {
    if (length > MAX_ENTRY_BYTES) throw new RangeError(`an entry has ${length} bytes, more than ${MAX_ENTRY_BYTES}`);
    bytes += 2 + length;
  }
  const bundle = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const entry of entries) at += entry.copy(bundle, bundle.writeUInt16BE(entry.length, at)) + 2;
  return bundle;
}

/** @throws RangeError when the bytes end within an entry */
export function decodeBundle(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 <= bundle.length ? at + 2 + bundle.readUInt16BE(at) : Number.POSITIVE_INFINITY;
    if (end > bundle.length) throw new RangeError(`the bundle ends within its entry ${entries.length}`);
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

/** The first entries of a bundle. @throws RangeError when it has fewer */
export function cutBundle(bundle: Buffer, width: number): Buffer {
  let at = 0;
  for (let count = 0; count < width; count += 1) {
    if (at + 2 > bundle.length) throw new RangeError(`the bundle has ${count} entries, not ${width}`);
    at += 2 + bundle.readUInt16BE(at);
  }
  if (at > bundle.length) throw new RangeError('the bundle ends within an entry');
  return bundle.subarray(0, at);
}
