import { gaEventName, gaEventNames } from '#contract/productEvents.ts'
import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { isPersonalPath } from '#contract/rule/rulePaths.ts'
import { allOf, anyCase, conditionOn, isLinearPattern, namedEvents, not } from '../filter.ts'
import { note, type Route } from '../importDraft.ts'
import type { ImportCode, Note } from '../importResult.ts'
import type { GtmCondition, GtmContainer, GtmTag, GtmTrigger } from './container.ts'
import type { Resolved, Resolver } from './variables.ts'

/** The test of a condition: names of events as they arrive here, other values, or both. */
type Asked = { names?: string[]; filter?: Filter }
type Problem = { problem: Note }
const isProblem = (value: object): value is Problem => 'problem' in value
const problem = (text: string, code: ImportCode = 'CONDITION_NOT_EXPRESSIBLE'): Problem => ({
  problem: note('needsDecision', text, code),
})

/** Ids of triggers that every container has, and their routes for server events. */
const builtInTriggers: Readonly<Record<string, Route>> = {
  '2147479553': { names: ['PageView'] },
  '2147479572': {},
  '2147479573': {},
}

const described = ({ left, type, right, isNegated }: GtmCondition) =>
  `${left} ${isNegated ? 'not ' : ''}${type} ${right}`.slice(0, 200)

/** The words of `^(a|b)$`, `a|b` and `a`; undefined for any other pattern. */
function wordsOf(pattern: string): { words: string[]; isWhole: boolean } | undefined {
  const [, start = '', inner = '', end = ''] = /^(\^?)(?:\(\?:|\()?([\w|-]{1,2000})\)?(\$?)$/.exec(pattern) ?? []
  const words = inner.split('|')
  return inner === '' || words.includes('') ? undefined : { words, isWhole: start === '^' && end === '$' }
}

/** GA4 event names that have another name here and that a test accepts. */
const translated = (accepts: (name: string) => boolean) => gaEventNames.filter(accepts).map(gaEventName)

/** Tests the name of an event: GA4 events by their new name, all others unchanged. */
function nameTest(accepts: (name: string) => boolean, operation: Filter): Asked {
  const names = [...new Set(translated(accepts))]
  const own = conditionOn('eventName', operation)
  return { filter: names.length === 0 ? own : { $or: [namedEvents(names), own] } }
}

function askName({ type, right, anyCase: ignoresCase }: GtmCondition): Asked | Problem {
  const value = ignoresCase ? right.toLowerCase() : right
  const plain = (operation: Filter, accepts: (name: string) => boolean) => nameTest(accepts, operation)
  if (type === 'equals') return { names: [gaEventName(value)] }
  if (type === 'contains') return plain({ $contains: value }, (name) => name.includes(value))
  if (type === 'startswith') return plain({ $startsWith: value }, (name) => name.startsWith(value))
  if (type === 'endswith') return plain({ $endsWith: value }, (name) => name.endsWith(value))
  if (type !== 'matchregex') return problem(`Events cannot be compared by ${type}.`)
  const list = wordsOf(right)
  if (list?.isWhole) return { names: list.words.map(gaEventName) }
  if (!isLinearPattern(right)) return problem(`The expression ${right.slice(0, 100)} is not an RE2 expression.`)
  if (right === '.*' || right === '.+') return {}
  if (list) return plain({ $regex: right }, (name) => list.words.some((word) => name.includes(word)))
  return problem(
    `The expression ${right.slice(0, 100)} matches GA4 event names, which differ from the event names here.`,
  )
}

/** Matches texts that stand for an absent value, such as `undefined`. */
const meansAbsent = (text: string) => /^\^?\(?(?:undefined|null|\||\(not set\)|NaN){1,9}\)?\$?$/.test(text)
const meansPresent = (text: string) => /^\^?\.[+*]\$?$/.test(text)

const numberOf = (text: string) => (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text.trim()) ? Number(text) : undefined)

/** The operation on a value; containers write truth values as text. */
function operationOf({ type, right, anyCase: ignoresCase }: GtmCondition): Condition | undefined {
  const places = { equals: 'equal', contains: 'part', startswith: 'start', endswith: 'end' } as const
  if (ignoresCase && Object.hasOwn(places, type)) return anyCase(right, places[type as keyof typeof places])
  if (type === 'equals') return ['true', 'false'].includes(right) ? { $in: [right === 'true', right] } : right
  if (type === 'contains') return { $contains: right }
  if (type === 'startswith') return { $startsWith: right }
  if (type === 'endswith') return { $endsWith: right }
  if (type === 'matchregex' && isLinearPattern(right)) return { $regex: ignoresCase ? `(?i)${right}` : right }
  const number = numberOf(right)
  const comparisons = { greater: '$gt', greaterorequals: '$gte', less: '$lt', lessorequals: '$lte' } as const
  if (number !== undefined && Object.hasOwn(comparisons, type))
    return { [comparisons[type as keyof typeof comparisons]]: number }
  return undefined
}

function askField(path: string, condition: GtmCondition): Asked | Problem {
  const { type, right } = condition
  const isTest = type === 'equals' || type === 'matchregex'
  if (isTest && (right === '' || meansAbsent(right))) return { filter: conditionOn(path, { $exist: false }) }
  if (type === 'matchregex' && meansPresent(right)) return { filter: conditionOn(path, { $exist: true }) }
  if (isPersonalPath(path.split('.')))
    return problem(`${described(condition)} compares personal data; a rule can only check whether it is present.`)
  const operation = operationOf(condition)
  return operation === undefined
    ? problem(`${described(condition)} has no equivalent.`)
    : { filter: conditionOn(path, operation) }
}

/** The source for a client type of the container. The SDK's events have no source. */
const sourceOfClient = (type: string): string | undefined =>
  ({ gaaw_client: 'ga4', mpaw_client: 'ga4', gtm_client: '' })[type]

/** `{{Client Name}}` as the event's source: the sources of the clients whose name the condition accepts. */
function askClient({ clients }: GtmContainer, condition: GtmCondition): Asked | Problem {
  const { type, right } = condition
  const tests: Record<string, (name: string) => boolean> = {
    equals: (name) => name === right,
    contains: (name) => name.includes(right),
    startswith: (name) => name.startsWith(right),
  }
  const test = tests[type]
  if (!test) return problem(`${described(condition)} has no equivalent.`)
  const all = clients.map((each) => ({ name: each.name, type: each.type }))
  const known =
    all.length > 0
      ? all
      : [
          { name: 'GA4', type: 'gaaw_client' },
          { name: 'Data Client', type: 'sdk' },
        ]
  const accepted = known.filter(({ name }) => test(name))
  if (accepted.length === 0)
    return problem(`${described(condition)}: the file has no client with that name.`, 'MISSING_REFERENCE')
  if (accepted.length === known.length) return {}
  const names = new Set(accepted.map((client) => sourceOfClient(client.type) ?? 'sdk'))
  const parts = [...names]
    .filter(Boolean)
    .map((name) => conditionOn('source.name', name === 'sdk' ? { $exist: false } : name))
  return { filter: parts.length === 1 ? parts[0]! : { $or: parts } }
}

function askLookup(input: Resolved & { kind: 'lookup' }, condition: GtmCondition): Asked | Problem {
  if (condition.type !== 'equals' || input.input.kind !== 'eventName' || condition.right === input.otherwise)
    return problem(`${described(condition)} depends on the result of a table.`)
  return { names: [...input.rows].filter(([, value]) => value === condition.right).map(([name]) => gaEventName(name)) }
}

function askCondition(condition: GtmCondition, container: GtmContainer, resolver: Resolver): Asked | Problem {
  const left = resolver.resolve(condition.left)
  const right = resolver.resolve(condition.right)
  if (left.kind === 'unknown') return { problem: left.note }
  if (right.kind !== 'constant') return problem(`${described(condition)} compares with a value of the event.`)
  const own = { ...condition, right: right.value }
  if (left.kind === 'eventName') return askName(own)
  if (left.kind === 'clientName') return askClient(container, own)
  if (left.kind === 'lookup') return askLookup(left, own)
  return left.kind === 'field' ? askField(left.path, own) : problem(`${described(condition)} compares two constants.`)
}

/** A condition as a filter, inverted if the condition is negated. */
function negated(asked: Asked): Asked {
  const filter = allOf([...(asked.names ? [namedEvents(asked.names)] : []), asked.filter ?? {}])
  return { filter: not(filter) }
}

const shared = (lists: readonly string[][]) => lists.reduce((one, other) => one.filter((name) => other.includes(name)))

/** A trigger as a route, or the reason why it cannot be one. */
function readTrigger(trigger: GtmTrigger, container: GtmContainer, resolver: Resolver): Route | Problem {
  if (!['customevent', 'always', 'pageview', 'init', 'consentinit'].includes(trigger.type))
    return problem(`The trigger ${trigger.name} (${trigger.type}) happens in the page.`, 'PAGE_ONLY')
  const asked = trigger.conditions.map((condition) => {
    const one = askCondition(condition, container, resolver)
    return isProblem(one) || !condition.isNegated ? one : negated(one)
  })
  const found = asked.find(isProblem)
  if (found) return found
  const all = asked as Asked[]
  const names = all.flatMap((each) => (each.names ? [each.names] : []))
  const filter = allOf(all.map((each) => each.filter ?? {}))
  return {
    ...(names.length > 0 && { names: shared(names) }),
    ...(Object.keys(filter).length > 0 && { filter }),
  }
}

export type TriggerReader = (id: string) => Route | Problem

/** Reads each trigger once. */
export function createTriggerReader(container: GtmContainer, resolver: Resolver): TriggerReader {
  const done = new Map<string, Route | Problem>()
  return (id) => {
    const known = done.get(id) ?? (Object.hasOwn(builtInTriggers, id) ? builtInTriggers[id]! : undefined)
    if (known) return known
    const trigger = container.triggers.get(id)
    const isGroup = trigger?.type === 'triggergroup'
    const found = !trigger
      ? problem(`The trigger ${id} is not in the file.`, 'MISSING_REFERENCE')
      : isGroup
        ? problem(`The trigger ${trigger.name} waits for several events of a page.`)
        : readTrigger(trigger, container, resolver)
    done.set(id, found)
    return found
  }
}

/**
 * The routes of a tag: any of its firing triggers, and none of the blocking ones. `isWider`: a blocking trigger cannot be
 * written as a rule, so the routes reach more events than the tag.
 */
export function routesOf(tag: GtmTag, read: TriggerReader): { routes: Route[]; problems: Note[]; isWider: boolean } {
  const firing = tag.firing.map(read)
  const blocking = tag.blocking.map(read)
  const problems = [...firing, ...blocking].flatMap((each) => (isProblem(each) ? [each.problem] : []))
  const blocked = blocking.flatMap((each) => (isProblem(each) ? [] : [negated(each as Asked).filter!]))
  const routes = firing.flatMap((each): Route[] => {
    if (isProblem(each)) return []
    const filter = allOf([each.filter ?? {}, ...blocked])
    return [{ ...(each.names && { names: each.names }), ...(Object.keys(filter).length > 0 && { filter }) }]
  })
  return { routes, problems, isWider: blocking.some(isProblem) }
}
