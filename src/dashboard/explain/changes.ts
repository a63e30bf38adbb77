import { isRecord } from '#contract/isRecord.ts'

/** A field of an event that a plugin changed: its path, and both values; undefined where it was absent. */
type FieldChange = { path: string; before: unknown; after: unknown }

/** The fields that differ, by path (`data.value`). Lists are compared as a whole. At most `most` are returned. */
export function changesOf(before: unknown, after: unknown, most = 50, path = ''): FieldChange[] {
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const found: FieldChange[] = []
    for (const name of names) {
      if (found.length >= most) break
      found.push(...changesOf(before[name], after[name], most - found.length, path ? `${path}.${name}` : name))
    }
    return found
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
}
