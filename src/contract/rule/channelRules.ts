/** A constant of a rule. */
export type RuleValue = string | number | boolean | null

/**
 * A condition on one value: a value to equal, a list of conditions that elements of the value must fulfil, or operators
 * and fields.
 */
export type Condition = RuleValue | readonly Condition[] | { readonly [operatorOrField: string]: Condition }

/** Conditions on fields of an event, all of which must hold: `{eventName: {$in: ['Lead']}, 'pageUrl.host': 'a.example'}`. */
export type Filter = { readonly [fieldOrOperator: string]: Condition }

/** Event names and the names that the channel receives instead. Null: the event is not delivered. */
export type Rename = Readonly<Record<string, string | null>>

/** `missing`: the rule applies only if the target is absent, null or an empty text. */
type Target = { set: string; when?: 'missing' }

/** `from`: a path, followed by words of `ruleFunctions`, separated by spaces: `data.contents[].price number sum`. */
export type SetFrom = Target & { from: string }
type SetValue = Target & { value: RuleValue }
type SwitchCase = { when: Condition; value: RuleValue }
export type SetSwitch = Target & { switch: string; cases: readonly SwitchCase[]; otherwise?: RuleValue }
/** A text with paths in braces: `{data.brand} {data.title}`. `{{` and `}}` are literal braces. */
export type SetTemplate = Target & { template: string }
type RemoveField = { remove: string }
export type MapRule = SetFrom | SetValue | SetSwitch | SetTemplate | RemoveField

/** The rules for the events of a channel. */
export type ChannelRules = {
  filter?: Filter
  rename?: Rename
  map?: readonly MapRule[]
  /** The share of visitors whose events are delivered: above 0, at most 1. */
  sample?: number
}

export const ruleNames = ['filter', 'rename', 'map', 'sample'] as const
export type RuleName = (typeof ruleNames)[number]

export type ChannelRulesWrite = { readonly [Rule in RuleName]?: ChannelRules[Rule] | null | undefined }

/** The rules in an object that has further members. */
export const channelRulesOf = (from: ChannelRules): ChannelRules =>
  Object.fromEntries(ruleNames.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))

/** The rules after a write. An absent rule stays unchanged, null removes it. */
export const rulesAfter = (saved: ChannelRules, write: ChannelRulesWrite): ChannelRules =>
  Object.fromEntries(
    ruleNames.flatMap((name) => {
      const rule = write[name] === undefined ? saved[name] : write[name]
      return rule === undefined || rule === null ? [] : [[name, rule]]
    }),
  )
