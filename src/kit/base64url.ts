/**
 * Base64url as RFC 4648 section 5 has it, without padding, and nothing else: undefined for a foreign character, padding,
 * a length that cannot be, or bits left over. So each run of bytes has one spelling only.
 */
export function readBase64url(text: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
