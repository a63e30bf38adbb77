/** The first `maxLength` characters (UTF-16 units) of a text. A value that is no text is returned unchanged. */
export const truncate = <T>(value: T, maxLength: number): T =>
  typeof value === 'string' && value.length > maxLength ? (value.slice(0, maxLength) as T) : value
