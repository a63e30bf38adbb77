import type { FalseRule } from '#contract/rule/ruleFields.ts'
import { ruleWords as words } from '#dashboard/words/en/rules.ts'

/** A value of a condition as a person reads it; long ones are cut. */
function operandText(operand: unknown): string {
  if (Array.isArray(operand)) return words.listed(operand.slice(0, 10).map(operandText))
  const text = typeof operand === 'string' ? `“${operand}”` : JSON.stringify(operand)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

const comparator = /^\$(?:eq|neq|gte?|lte?|n?in|startsWith|endsWith|contains|regex|exist)$/

/** `data.value is at least 10` for the condition at `filter.data.value.$gte`. */
function conditionText({ path, condition }: FalseRule): string {
  const [, ...parts] = path.split('.')
  const last = parts.at(-1) ?? ''
  const isPlain = parts.every((part) => !part.startsWith('$')) && (typeof condition !== 'object' || condition === null)
  if (isPlain) return words.asks(parts.join('.'), '$eq', operandText(condition))
  const isOfField = comparator.test(last) && parts.slice(0, -1).every((part) => !part.startsWith('$'))
  if (isOfField) return words.asks(parts.slice(0, -1).join('.'), last, operandText(condition))
  return `${parts.join('.')}: ${operandText(condition)}`
}

/** Why a channel's rules leave an event out. */
export function ruleSentence(rule: FalseRule): string {
  if (rule.path === 'sample') return words.notSampled(Math.round(Number(rule.condition) * 10_000) / 100)
  if (rule.path.startsWith('rename.')) return words.renamedToNothing(rule.path.slice('rename.'.length))
  return words.notSent(conditionText(rule))
}
