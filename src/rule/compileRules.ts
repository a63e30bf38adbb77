import type { TagEvent } from '#contract/event.ts'
import type { ChannelRules, MapRule } from '#contract/rule/channelRules.ts'
import { compileFilter, type FalseCondition } from './compileFilter.ts'
import { type CompiledMapRule, compileMapRule, type RuleTree } from './compileMap.ts'
import type { FilterInput } from './filterInput.ts'
import {
  attachPersonFields,
  detachPersonFields,
  namesPerson,
  type RulePerson,
  withPersonAtTop,
} from './personFields.ts'
import { isInSample } from './sample.ts'
import { exceedsLimits, type TreeLimits } from './treeLimits.ts'

/** The event for a channel, and its person; or the number of the map rule, from 1, after which it is no valid event. */
export type MappedEvent = { event: TagEvent; person: RulePerson; refusedBy?: never } | { refusedBy: number }

/** The rules of a script as closures. */
export type CompiledRules = {
  /** The name under which the channel gets an event; null: it never gets it. */
  nameOf(eventName: string): string | null
  /** Why the channel does not get an event, in the order rename, filter, sample; undefined if it gets it. */
  whyFiltered(input: FilterInput, userId: string): FalseCondition | undefined
  /** The event and its person as the channel gets them. The given ones are not changed. */
  map(event: TagEvent, person: RulePerson, limits: TreeLimits): MappedEvent
}

function compileNames({ rename = {} }: ChannelRules): CompiledRules['nameOf'] {
  const names = new Map(Object.entries(rename))
  return (eventName) => {
    const name = names.get(eventName)
    return name === undefined ? eventName : name
  }
}

function compileMap(rules: readonly MapRule[]): CompiledRules['map'] {
  const steps = rules.map((rule) => compileMapRule(withPersonAtTop(rule)))
  const isOfPerson = rules.some(namesPerson)
  const run = (tree: RuleTree, some: readonly CompiledMapRule[]) => some.reduce((now, step) => step(now), tree)
  return (event, person, limits) => {
    const attached = isOfPerson ? attachPersonFields(event, person) : event
    const mapped = run(attached, steps)
    const result = isOfPerson ? detachPersonFields(mapped, { event, attached, person }) : { event: mapped, person }
    if (!exceedsLimits(result.event, limits)) return result as MappedEvent
    const refusedBy = steps.findIndex((_, n) => exceedsLimits(run(attached, steps.slice(0, n + 1)), limits)) + 1
    return { refusedBy: Math.max(1, refusedBy) }
  }
}

/** Compiles valid rules; undefined where there are none. */
export function compileRules(rules: ChannelRules): CompiledRules | undefined {
  const { filter, rename, map, sample } = rules
  if (!filter && !rename && !map && sample === undefined) return undefined
  const nameOf = compileNames(rules)
  const check = filter && compileFilter(filter)
  const mapEvent = map && compileMap(map)
  const renamed = (event: TagEvent, eventName: string) =>
    eventName === event.eventName ? event : { ...event, eventName }
  return {
    nameOf,
    whyFiltered(input, userId) {
      const { event } = input
      const eventName = nameOf(event.eventName)
      if (eventName === null) return { path: `rename.${event.eventName}`, condition: null }
      const asked = check && { ...input, event: renamed(event, eventName) }
      if (check && asked && !check.test(asked)) return check.why(asked)
      if (sample !== undefined && !isInSample(userId, sample)) return { path: 'sample', condition: sample }
      return undefined
    },
    map(event, person, limits) {
      const named = renamed(event, nameOf(event.eventName) ?? event.eventName)
      return mapEvent ? mapEvent(named, person, limits) : { event: named, person }
    },
  }
}

const compiled = new WeakMap<object, { rules: CompiledRules | undefined }>()

/** The rules of a script of a snapshot, compiled once per deployment. */
export function rulesOf(script: ChannelRules): CompiledRules | undefined {
  const known = compiled.get(script)
  if (known) return known.rules
  const rules = compileRules(script)
  compiled.set(script, { rules })
  return rules
}
