/** The maximum size of a channel's rules. */
export const ruleLimits = {
  conditions: 50,
  depth: 5,
  list: 200,
  renames: 200,
  mapRules: 100,
  regexLength: 200,
  textLength: 500,
  pathParts: 10,
  /** All rules of a script as JSON, in characters. */
  characters: 64 * 1024,
} as const

/** The functions that may follow the path in `from`. The last four turn a list into one value. */
export const ruleFunctions = [
  'number',
  'text',
  'lower',
  'upper',
  'trim',
  'round2',
  'digits',
  'sum',
  'count',
  'first',
  'join',
] as const
export type RuleFunction = (typeof ruleFunctions)[number]
