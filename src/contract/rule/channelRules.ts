/** A constant of a rule. */
export type RuleValue = string | number | boolean | null

/** A condition on one value: the value itself, a list that must hold each of these, or operators and fields. */
export type Condition = RuleValue | readonly Condition[] | { readonly [operatorOrField: string]: Condition }

/** Conditions on fields of an event, all of which must hold: `{eventName: {$in: ['Lead']}, 'pageUrl.host': 'a.example'}`. */
export type Filter = { readonly [fieldOrOperator: string]: Condition }

/** Event names and the names under which a channel gets them. null: the event is not delivered. */
export type Rename = Readonly<Record<string, string | null>>

/** `missing`: the rule applies only where the target is absent, null or an empty text. */
type Target = { set: string; when?: 'missing' }

/** `from`: a path, and after it words of `ruleFunctions`, separated by spaces: `data.contents[].price number sum`. */
export type SetFrom = Target & { from: string }
type SetValue = Target & { value: RuleValue }
type SwitchCase = { when: Condition; value: RuleValue }
export type SetSwitch = Target & { switch: string; cases: readonly SwitchCase[]; otherwise?: RuleValue }
/** A text with paths in braces: `{data.brand} {data.title}`. `{{` and `}}` are braces. */
export type SetTemplate = Target & { template: string }
type RemoveField = { remove: string }
export type MapRule = SetFrom | SetValue | SetSwitch | SetTemplate | RemoveField

/** What a channel gets of the events that reach it. */
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

/** The rules of a value that has more members. */
export const channelRulesOf = (from: ChannelRules): ChannelRules =>
  Object.fromEntries(ruleNames.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))

/** The rules after a write: an absent one stays, null removes it. */
export const rulesAfter = (saved: ChannelRules, write: ChannelRulesWrite): ChannelRules =>
  Object.fromEntries(
    ruleNames.flatMap((name) => {
      const rule = write[name] === undefined ? saved[name] : write[name]
      return rule === undefined || rule === null ? [] : [[name, rule]]
    }),
  )
