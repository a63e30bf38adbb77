/** The first `maxLength` characters (UTF-16 units) of a text. Other values are returned unchanged. */
export const truncate = <T>(value: T, maxLength: number): T =>
  typeof value === 'string' && value.length > maxLength ? (value.slice(0, maxLength) as T) : value

/** The longest beginning of a text with at most `maxBytes` bytes in UTF-8. Does not split characters. */
export function truncateBytes(text: string, maxBytes: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}
