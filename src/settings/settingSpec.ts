/** One setting. `read` returns undefined for an invalid text. The value of a hidden setting never appears in a message. */
export type SettingSpec = { takes: string; help: string; read(text: string): unknown; isFlag?: true; isHidden?: true }

/** A whole number of at most seven digits in this range. Undefined for any other text. */
export function parseNumber(text: string, min: number, max = 65_535): number | undefined {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

/** The entries of a comma list, trimmed. */
export const splitList = (value: string): string[] => value.split(',').map((each) => each.trim())

/** The values. Undefined if one of them is undefined. */
export function allDefined<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  return values.includes(undefined) ? undefined : (values as Value[])
}
