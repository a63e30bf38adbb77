import { amountOf, withoutFloatError } from '#contract/eventValue.ts'
import type { RuleFunction } from '#contract/rule/ruleLimits.ts'

type Apply = (value: unknown) => unknown

const ofText =
  (apply: (text: string) => string): Apply =>
  (value) =>
    typeof value === 'string' ? apply(value) : typeof value === 'number' ? apply(`${value}`) : undefined

/** Functions of one value. For a list, they apply to each element. */
const ofValue: Partial<Record<RuleFunction, Apply>> = {
  number: amountOf,
  text: (value) => (typeof value === 'boolean' ? `${value}` : ofText((text) => text)(value)),
  lower: ofText((text) => text.toLowerCase()),
  upper: ofText((text) => text.toUpperCase()),
  trim: ofText((text) => text.trim()),
  digits: ofText((text) => text.replace(/\D/g, '')),
  round2: (value) => {
    const amount = amountOf(value)
    return amount === undefined ? undefined : Math.round(amount * 100) / 100
  },
}

const isText = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const ofList: Partial<Record<RuleFunction, (list: readonly unknown[]) => unknown>> = {
  sum: (list) => {
    const amounts = list.map(amountOf).filter((amount) => amount !== undefined)
    return amounts.length > 0 ? withoutFloatError(amounts.reduce((sum, amount) => sum + amount, 0)) : undefined
  },
  count: (list) => list.length,
  first: (list) => list[0],
  join: (list) => list.filter(isText).join(','),
}

function applyFunction(value: unknown, name: RuleFunction): unknown {
  if (value === undefined) return undefined
  const reduce = ofList[name]
  if (reduce) return Array.isArray(value) ? reduce(value) : undefined
  const apply = ofValue[name]!
  return Array.isArray(value) ? value.map(apply).filter((each) => each !== undefined) : apply(value)
}

/** Applies functions in order. Undefined if a function does not accept the type of the value. */
export function applyFunctions(value: unknown, functions: readonly RuleFunction[]): unknown {
  const result = functions.reduce(applyFunction, value)
  return typeof result === 'number' && !Number.isFinite(result) ? undefined : result
}
