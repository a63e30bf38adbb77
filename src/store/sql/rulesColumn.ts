import { type ChannelRules, channelRulesOf, type RuleName } from '#contract/rule/channelRules.ts'

/** The rules of a script as one JSON text; undefined without rules. */
export function rulesText(script: ChannelRules): string | undefined {
  const rules = channelRulesOf(script)
  return Object.keys(rules).length > 0 ? JSON.stringify(rules) : undefined
}

/** The rules of a column; null for those that the script does not have. */
export const readRules = (text: unknown): Record<RuleName, unknown> => ({
  filter: null,
  rename: null,
  map: null,
  sample: null,
  ...(typeof text === 'string' && (JSON.parse(text) as ChannelRules)),
})
