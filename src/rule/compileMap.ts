import type { MapRule, SetFrom, SetSwitch, SetTemplate } from '#contract/rule/channelRules.ts'
import { parseRulePath, parseRuleSource, parseTemplate, type RulePath } from '#contract/rule/rulePaths.ts'
import { compileCondition } from './compileFilter.ts'
import { applyFunctions } from './ruleFunctions.ts'
import { getAt, type ListWork, removeAt, updateAt } from './ruleTree.ts'

/** An event as a tree. A change copies the objects on its path and shares all others. */
export type RuleTree = Readonly<Record<string, unknown>>
export type CompiledMapRule = (tree: RuleTree, work: ListWork) => RuleTree

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

/**
 * Sets the target to the result of `newValue` for the indexes of the lists on its path. Undefined leaves the target
 * unchanged.
 */
function setter(
  { set, when }: { set: string; when?: 'missing' },
  newValue: (tree: RuleTree, at: { indexes: readonly number[]; work: ListWork }) => unknown,
): CompiledMapRule {
  const target = parseRulePath(set)
  return (tree, work) =>
    updateAt(tree, target, work, (before, indexes) => {
      if (when === 'missing' && !isMissing(before)) return before
      const value = newValue(tree, { indexes, work })
      return value === undefined ? before : value
    }) as RuleTree
}

function compileFrom(rule: SetFrom): CompiledMapRule {
  const { functions, ...path } = parseRuleSource(rule.from)
  return setter(rule, (tree, at) => applyFunctions(getAt(tree, path, at), functions))
}

function compileSwitch(rule: SetSwitch): CompiledMapRule {
  const path = parseRulePath(rule.switch)
  const cases = rule.cases.map(({ when, value }) => ({ ...compileCondition(when, ''), value }))
  const { otherwise } = rule
  return setter(rule, (tree, at) => {
    const selector = getAt(tree, path, at)
    const found = cases.find(({ test }) => test(selector))
    return found ? found.value : otherwise
  })
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''

function compileTemplate(rule: SetTemplate): CompiledMapRule {
  const parts = parseTemplate(rule.template) ?? []
  const paths = parts.filter((part): part is RulePath => typeof part !== 'string')
  return setter(rule, (tree, { indexes, work }) => {
    const values = paths.map((path) =>
      textOf(getAt(tree, path, { indexes: indexes.slice(0, path.lists.length), work })),
    )
    if (paths.length > 0 && values.every((value) => value === '')) return undefined
    let at = 0
    return parts.map((part) => (typeof part === 'string' ? part : values[at++]!)).join('')
  })
}

/** Compiles a valid rule. If its source is absent, a rule leaves the event unchanged. */
export function compileMapRule(rule: MapRule): CompiledMapRule {
  if ('remove' in rule) {
    const path = parseRulePath(rule.remove)
    return (tree, work) => removeAt(tree, path, work) as RuleTree
  }
  if ('from' in rule) return compileFrom(rule)
  if ('switch' in rule) return compileSwitch(rule)
  if ('template' in rule) return compileTemplate(rule)
  return setter(rule, () => rule.value)
}
