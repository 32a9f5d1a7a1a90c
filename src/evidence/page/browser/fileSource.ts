import type { ByteSource } from '../../format/bundleFile.ts';

/** A file that was dropped on the page; it is read in parts, so it may be larger than the memory. */
export const sourceOf = (file: Blob): ByteSource => ({
  size: file.size,
  async read(from, to) {
    const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
    if (bytes.length !== to - from) throw new Error('The file became shorter while it was read.');
    return bytes;
  },
});
