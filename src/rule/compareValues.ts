import type { RuleValue } from '#contract/rule/channelRules.ts'
import type { Comparator } from '#contract/rule/filterIssues.ts'
import { compileRegex } from './regex.ts'

type Test = (value: unknown) => boolean

/** A text that consists only of digits is compared with a number as a number. A longer text would lose digits. */
const digitsOnly = /^\d{1,15}$/
const numberOf = (text: string): number | undefined => (digitsOnly.test(text) ? Number(text) : undefined)

function equals(operand: RuleValue): Test {
  if (typeof operand === 'number')
    return (value) => value === operand || (typeof value === 'string' && numberOf(value) === operand)
  const asNumber = typeof operand === 'string' ? numberOf(operand) : undefined
  if (asNumber === undefined) return (value) => value === operand
  return (value) => value === operand || value === asNumber
}

function isIn(operands: readonly RuleValue[]): Test {
  const values = new Set<unknown>(operands)
  const digits = operands.flatMap((each) => (typeof each === 'string' ? (numberOf(each) ?? []) : []))
  const numbers = new Set(digits)
  return (value) => {
    if (values.has(value)) return true
    if (typeof value === 'number') return numbers.has(value)
    if (typeof value !== 'string') return false
    const asNumber = numberOf(value)
    return asNumber !== undefined && values.has(asNumber)
  }
}

/** Compares numbers with numbers, and texts with texts by their UTF-16 code units, as JavaScript does. */
function ordered(operand: unknown, isOrdered: (value: string | number, than: string | number) => boolean): Test {
  if (typeof operand === 'number')
    return (value) => {
      const number = typeof value === 'string' ? numberOf(value) : value
      return typeof number === 'number' && isOrdered(number, operand)
    }
  const text = operand as string
  const asNumber = numberOf(text)
  return (value) => {
    if (typeof value === 'string') return isOrdered(value, text)
    return typeof value === 'number' && asNumber !== undefined && isOrdered(value, asNumber)
  }
}

function ofTexts(operand: unknown, has: (value: string, part: string) => boolean): Test {
  const parts = [operand].flat() as string[]
  return (value) => typeof value === 'string' && parts.some((part) => has(value, part))
}

const not =
  (test: Test): Test =>
  (value) =>
    !test(value)

const compilers: Readonly<Record<Exclude<Comparator, '$exist'>, (operand: unknown) => Test>> = {
  $eq: (operand) => equals(operand as RuleValue),
  $neq: (operand) => not(equals(operand as RuleValue)),
  $gt: (operand) => ordered(operand, (value, than) => value > than),
  $gte: (operand) => ordered(operand, (value, than) => value >= than),
  $lt: (operand) => ordered(operand, (value, than) => value < than),
  $lte: (operand) => ordered(operand, (value, than) => value <= than),
  $in: (operand) => isIn(operand as RuleValue[]),
  $nin: (operand) => not(isIn(operand as RuleValue[])),
  $startsWith: (operand) => ofTexts(operand, (value, part) => value.startsWith(part)),
  $endsWith: (operand) => ofTexts(operand, (value, part) => value.endsWith(part)),
  $contains: (operand) => ofTexts(operand, (value, part) => value.includes(part)),
  $regex: (operand) => {
    const matches = compileRegex(operand as string)
    return (value) => typeof value === 'string' && matches(value)
  },
}

/** A comparator with its operand, on one value. An absent value (undefined) equals nothing. */
export const compileComparator = (operator: string, operand: unknown): Test =>
  Object.hasOwn(compilers, operator) ? compilers[operator as keyof typeof compilers](operand) : () => false
