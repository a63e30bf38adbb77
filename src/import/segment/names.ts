import type { Filter } from '#contract/rule/channelRules.ts'
import { isObject } from '../json.ts'

/** The event names of a filter that asks for nothing else; undefined for any other filter. */
export function namesOf(filter: Filter): string[] | undefined {
  const [[name, condition] = [], ...others] = Object.entries(filter)
  if (others.length > 0) return undefined
  if (name === 'eventName' && typeof condition === 'string') return [condition]
  if (name !== '$or' || !Array.isArray(condition)) return undefined
  const lists = condition.map((each) => (isObject(each) ? namesOf(each as Filter) : undefined))
  return lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined
}
