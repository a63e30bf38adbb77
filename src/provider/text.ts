/** No more of a text than the vendor takes; what is no text stays as it is. */
export const cut = <T>(value: T, most: number): T =>
  typeof value === 'string' && value.length > most ? (value.slice(0, most) as T) : value
