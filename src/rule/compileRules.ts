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

/** The event for a channel and its person. `refusedBy`: the number, from 1, of the map rule that exceeded a limit. */
type MappedEvent = { event: TagEvent; person: RulePerson; refusedBy?: never } | { refusedBy: number }

/** The rules of a script as closures. */
type CompiledRules = {
  /** The event name that the channel receives. Null if the channel never receives the event. */
  nameOf(eventName: string): string | null
  /**
   * The condition that keeps the event from the channel, checked in the order rename, filter, sample. Undefined if the
   * channel receives the event.
   */
  whyFiltered(input: FilterInput, userId: string): FalseCondition | undefined
  /** The event and its person as the channel receives them. Does not change its arguments. */
  map(event: TagEvent, person: RulePerson, limits: TreeLimits): MappedEvent
}

function compileNames({ rename = {} }: ChannelRules): CompiledRules['nameOf'] {
  const names = new Map(Object.entries(rename))
  return (eventName) => {
    const name = names.get(eventName)
    return name === undefined ? eventName : name
  }
}

/**
 * The maximum number of list elements that all rules of a channel read and write in one event: 100 rules on the longest
 * allowed list would block the thread.
 */
const mostElements = 40_000

/** The tree after each rule, up to the rule that would read too many elements. The trees share all unchanged parts. */
function treesAfter(tree: RuleTree, steps: readonly CompiledMapRule[]): RuleTree[] {
  const trees: RuleTree[] = []
  const work = { left: mostElements }
  for (const step of steps) {
    const next = step(trees.at(-1) ?? tree, work)
    if (work.left < 0) break
    trees.push(next)
  }
  return trees
}

/** The number, from 1, of a rule before which the tree is within the limits and after which it exceeds them. */
function findExceeding(trees: readonly RuleTree[], limits: TreeLimits): number {
  let [within, exceeding] = [0, trees.length]
  while (exceeding - within > 1) {
    const middle = Math.floor((within + exceeding) / 2)
    if (exceedsLimits(trees[middle - 1], limits)) exceeding = middle
    else within = middle
  }
  return exceeding
}

function compileMap(rules: readonly MapRule[]): CompiledRules['map'] {
  const steps = rules.map((rule) => compileMapRule(withPersonAtTop(rule)))
  const isOfPerson = rules.some(namesPerson)
  return (event, person, limits) => {
    const attached = isOfPerson ? attachPersonFields(event, person) : event
    const trees = treesAfter(attached, steps)
    if (trees.length < steps.length) return { refusedBy: trees.length + 1 }
    const mapped = trees.at(-1) ?? attached
    const result = isOfPerson ? detachPersonFields(mapped, { event, attached, person }) : { event: mapped, person }
    if (!exceedsLimits(result.event, limits)) return result as MappedEvent
    return { refusedBy: findExceeding(trees, limits) }
  }
}

/** Compiles valid rules. Undefined if there are none. */
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
