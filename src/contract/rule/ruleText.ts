import { closestName } from '../closestName.ts'

/** A name from the caller, quoted in a message: its first 60 characters. */
export const quoted = (name: string): string => JSON.stringify(name.slice(0, 60))

export function issueOfUnknown(name: string, what: string, known: readonly string[]): string {
  const meant = name.length <= 100 ? closestName(name, known) : undefined
  return `${quoted(name)} is no ${what}${meant ? `; did you mean ${meant}?` : `: ${known.join(', ')}`}`
}
