/** Decodes RFC 4648 base64, section 4. @returns undefined for any text that is not exactly the encoding of its bytes */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
