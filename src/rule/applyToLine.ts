import type { TagEvent } from '#contract/event.ts'
import type { ApplyRules } from '#contract/preview.ts'
import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { compileRules } from './compileRules.ts'
import { regexIssue } from './regex.ts'
import type { TreeLimits } from './treeLimits.ts'

const personKeys: ReadonlySet<string> = new Set([...standardKeys, 'ip', 'userAgent'])

/**
 * Applies the rules of a preview line to its event and user. Returns the changed ones, or the reason why the channel
 * receives nothing.
 */
export const applyToLine =
  (limits: TreeLimits): ApplyRules =>
  (rules, event, user) => {
    const [issue] = ruleIssues(rules, regexIssue)
    if (issue) return { issue }
    const compiled = compileRules(rules)
    if (!compiled) return { event, user }
    const hasKey = (key: string) => user[key] !== undefined
    const why = compiled.whyFiltered({ event, hasKey }, String(user.userId ?? 'preview'))
    if (why) return { filtered: why }
    const isOfPerson = ([key]: readonly [string, unknown]) => personKeys.has(key)
    const entries = Object.entries(user)
    const person = Object.fromEntries(entries.filter(isOfPerson).map(([key, value]) => [key, String(value)]))
    const mapped = compiled.map(event, person, limits)
    if (mapped.refusedBy !== undefined) return { refusedBy: mapped.refusedBy }
    const kept = Object.entries(mapped.person).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const others = entries.filter((entry) => !isOfPerson(entry))
    return { event: mapped.event as TagEvent, user: Object.fromEntries([...others, ...kept]) }
  }
