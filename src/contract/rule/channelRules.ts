import { Nullable, Type } from '../schema.ts'
import { ruleFunctions } from './ruleLimits.ts'

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

const MapRuleField = Type.Object({
  set: Type.Optional(Type.String({ description: 'the path to set, such as data.contents[].id' })),
  from: Type.Optional(
    Type.String({
      description: `a path, and functions after it: ${ruleFunctions.map((each) => `\`${each}\``).join(' ')}`,
    }),
  ),
  value: Type.Optional(Type.Unknown({ description: 'a constant: text, number, boolean or null' })),
  template: Type.Optional(Type.String({ description: 'a text with paths in braces' })),
  switch: Type.Optional(Type.String({ description: 'the path whose value selects a case' })),
  cases: Type.Optional(Type.Array(Type.Object({ when: Type.Unknown(), value: Type.Unknown() }))),
  otherwise: Type.Optional(Type.Unknown({ description: 'the value if no case matches' })),
  when: Type.Optional(Type.Literal('missing', { description: 'only if the target has no value' })),
  remove: Type.Optional(Type.String({ description: 'the path to remove' })),
})

/** The rules of a script as the API shows and takes them. Their meaning is checked by `ruleIssues`. */
const schemas = {
  filter: Type.Unsafe<Filter>(Type.Object({}, { description: `conditions on the event, all of which must hold` })),
  rename: Type.Unsafe<Rename>(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
      description: 'event names and the names that the channel gets; null: not delivered',
    }),
  ),
  map: Type.Unsafe<readonly MapRule[]>(
    Type.Array(MapRuleField, { description: `changes to the event, in this order` }),
  ),
  sample: Type.Number({ description: 'the share of visitors whose events are delivered: above 0, at most 1' }),
}

export const ruleFields = {
  filter: Type.Optional(schemas.filter),
  rename: Type.Optional(schemas.rename),
  map: Type.Optional(schemas.map),
  sample: Type.Optional(schemas.sample),
}

/** The rules in a write: an absent one stays as it is, null removes it. */
export const ruleWriteFields = {
  filter: Nullable(schemas.filter),
  rename: Nullable(schemas.rename),
  map: Nullable(schemas.map),
  sample: Nullable(schemas.sample),
}
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

/** The condition that an event did not fulfil: where it stands in the rules, and what it asks. */
export const FalseRule = Type.Object(
  {
    path: Type.String({ description: 'where the condition stands: `filter.data.value.$gte`' }),
    condition: Type.Unknown({ description: 'what it asks' }),
  },
  { description: 'the condition of the channel’s rules that was false' },
)
export type FalseRule = { path: string; condition: unknown }
