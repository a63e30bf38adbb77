/**
 * Decodes base64url (RFC 4648, section 5) without padding. Undefined for a foreign character, padding, an impossible
 * length or non-zero unused bits, so that each byte sequence has exactly one text.
 */
export function readBase64url(text: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
