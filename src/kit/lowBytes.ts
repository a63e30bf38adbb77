const scratch = Buffer.allocUnsafeSlow(256 * 1024)

/**
 * The low byte of each code unit of a text, and other bytes after them. Valid until the next call. A loop over bytes takes
 * half the time of a loop over a string.
 */
export function lowBytes(text: string): Uint8Array {
  const bytes = text.length <= scratch.length ? scratch : Buffer.allocUnsafeSlow(text.length)
  bytes.write(text, 'latin1')
  return bytes
}

/** The code units below 256 that an expression matches, as a table: one lookup for each character of a long text. */
export const tableOf = (pattern: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, unit) => (pattern.test(String.fromCharCode(unit)) ? 1 : 0))
