import { Nullable, OptionalText, Type } from '../schema.ts'
import type { Filter, MapRule, Rename } from './channelRules.ts'
import { ruleFunctions } from './ruleLimits.ts'

const MapRuleField = Type.Object({
  set: OptionalText('the path to set, such as data.contents[].id'),
  from: Type.Optional(
    Type.String({
      description: `a path, and functions after it: ${ruleFunctions.map((each) => `\`${each}\``).join(' ')}`,
    }),
  ),
  value: Type.Optional(Type.Unknown({ description: 'a constant: text, number, boolean or null' })),
  template: OptionalText('a text with paths in braces'),
  switch: OptionalText('the path whose value selects a case'),
  cases: Type.Optional(Type.Array(Type.Object({ when: Type.Unknown(), value: Type.Unknown() }))),
  otherwise: Type.Optional(Type.Unknown({ description: 'the value if no case matches' })),
  when: Type.Optional(Type.Literal('missing', { description: 'only if the target has no value' })),
  remove: OptionalText('the path to remove'),
})

/** The rules of a script in the API. `ruleIssues` checks their meaning. */
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

/** The rules in a write. An absent rule stays unchanged, null removes it. */
export const ruleWriteFields = {
  filter: Nullable(schemas.filter),
  rename: Nullable(schemas.rename),
  map: Nullable(schemas.map),
  sample: Nullable(schemas.sample),
}
/** The condition that an event did not fulfil, and its path in the rules. */
export const FalseRule = Type.Object(
  {
    path: Type.String({ description: 'the path of the condition: `filter.data.value.$gte`' }),
    condition: Type.Unknown({ description: 'what it asks' }),
  },
  { description: 'the condition of the channel’s rules that was false' },
)
export type FalseRule = { path: string; condition: unknown }
