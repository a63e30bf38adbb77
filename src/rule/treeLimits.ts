/** The limits of an event. `eventBytes` is compared with the approximate length of its JSON, in characters. */
export type TreeLimits = { readonly eventBytes: number; readonly keys: number; readonly depth: number }

/**
 * Whether a tree exceeds the limits. Stops at the first excess: a tree with shared parts can be far larger than its
 * memory.
 */
export function exceedsLimits(tree: unknown, { eventBytes, keys, depth }: TreeLimits): boolean {
  let characters = eventBytes
  let members = keys
  function exceeds(value: unknown, levels: number): boolean {
    if (typeof value === 'string') characters -= value.length + 2
    else if (typeof value !== 'object' || value === null) characters -= 4
    else if (levels === 0) return true
    else if (Array.isArray(value)) {
      for (const each of value) {
        characters--
        if (exceeds(each, levels - 1)) return true
      }
    } else
      for (const name in value) {
        members--
        characters -= name.length + 4
        if (members < 0 || exceeds((value as Record<string, unknown>)[name], levels - 1)) return true
      }
    return characters < 0
  }
  return exceeds(tree, depth)
}
