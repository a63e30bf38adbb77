import { isRecord } from '#contract/isRecord.ts'
import type { RulePath } from '#contract/rule/rulePaths.ts'

const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** How many list elements the rules of a channel may still read and write in one event. Below 0, they stop. */
export type ListWork = { left: number }

const mayRead = (list: readonly unknown[], work: ListWork): boolean => {
  work.left -= list.length
  return work.left >= 0
}

/** The value at a path. `indexes`: the elements of its lists. A list without an index returns the values of all elements. */
export function getAt(
  tree: unknown,
  { parts, lists }: RulePath,
  { indexes, work }: { indexes: readonly number[]; work: ListWork },
): unknown {
  function walk(value: unknown, at: number, listsPassed: number): unknown {
    if (at === parts.length) return value
    const member = memberOf(value, parts[at]!)
    if (!lists.includes(at)) return walk(member, at + 1, listsPassed)
    if (!Array.isArray(member)) return undefined
    const index = indexes[listsPassed]
    if (index !== undefined) return walk(member[index], at + 1, listsPassed + 1)
    if (!mayRead(member, work)) return undefined
    return member.map((each) => walk(each, at + 1, listsPassed + 1)).filter((each) => each !== undefined)
  }
  return walk(tree, 0, 0)
}

type Update = (before: unknown, indexes: readonly number[]) => unknown

/**
 * The tree with a new value at each position of the path. Undefined removes a value. Missing objects on the path are
 * created. Nothing changes if the path meets a text, a number, or anything but a list where it needs one. Does not
 * mutate the tree.
 */
export function updateAt(tree: unknown, { parts, lists }: RulePath, work: ListWork, update: Update): unknown {
  function walk(value: unknown, at: number, indexes: readonly number[]): unknown {
    if (at === parts.length) return update(value, indexes)
    if (value !== undefined && value !== null && !isRecord(value)) return value
    const name = parts[at]!
    const before = memberOf(value, name)
    const after = lists.includes(at)
      ? Array.isArray(before)
        ? elements(before, at + 1, indexes)
        : before
      : walk(before, at + 1, indexes)
    if (after === before) return value
    const members = isRecord(value) ? value : {}
    const { [name]: _, ...others } = members
    return after === undefined ? others : { ...members, [name]: after }
  }
  function elements(list: readonly unknown[], at: number, indexes: readonly number[]): unknown {
    if (!mayRead(list, work)) return list
    const after = list.map((each, index) => walk(each, at, [...indexes, index]))
    return after.every((each, index) => each === list[index]) ? list : after.filter((each) => each !== undefined)
  }
  return walk(tree, 0, [])
}

export const removeAt = (tree: unknown, path: RulePath, work: ListWork): unknown =>
  updateAt(tree, path, work, () => undefined)
