type Row = Readonly<Record<string, unknown>>

const isMoment = (name: string, value: unknown): value is number =>
  typeof value === 'number' && /^at$|At$/.test(name) && value > 1e11

/** Control characters from elsewhere must not move the cursor of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** One value for a person: times as dates, lists with commas, nothing for what is not there. */
export function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isMoment(name, value)) return new Date(value).toISOString()
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ')
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(controls, '')
}

const inOneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

/** Rows under their column names; a column that no row fills is left out. */
export function tableText(rows: readonly Row[], names: readonly string[]): string {
  const filled = names.filter((name) => rows.some((row) => textOf(name, row[name]) !== ''))
  const lines = [filled, ...rows.map((row) => filled.map((name) => inOneLine(textOf(name, row[name]))))]
  const widths = filled.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const shown = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
  return shown.map((line) => `${line.trimEnd()}\n`).join('')
}

/** `a.b.c` and its value, for what is nested. */
function flat(value: Row, before = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, each]): [string, string][] => {
    const path = before + name
    const isNested = typeof each === 'object' && each !== null && !Array.isArray(each) && Object.keys(each).length > 0
    if (isNested) return flat(each as Row, `${path}.`)
    const isList = Array.isArray(each) && each.some((one) => typeof one === 'object')
    return isList ? each.flatMap((one, at) => flat(one as Row, `${path}.${at}.`)) : [[path, textOf(name, each)]]
  })
}

/** `name  value`, a line each. */
export function listText(value: Row): string {
  const lines = flat(value)
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines.map(([name, text]) => `${`${name.padEnd(width)}  ${text}`.trimEnd()}\n`).join('')
}

/** Names of the plain values of these rows, those of the first before those that others add. */
const plainNames = (rows: readonly Row[]) => {
  const plain = rows.flatMap((row) => Object.keys(row).filter((name) => typeof row[name] !== 'object'))
  return [...new Set(plain)]
}

const isRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null)

/** The rows of an answer that is a list and nothing else (`{scripts: […], next?}`). */
function rowsOf({ next: _, ...rest }: Row): Row[] | undefined {
  const [only, ...others] = Object.values(rest)
  return others.length === 0 && isRows(only) && !('errors' in rest) ? only : undefined
}

const picked = (value: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]))

/** An answer for a person: a table where it is a list, else its values by name; `names` are those that matter. */
export function answerText(answer: Row, names?: readonly string[]): string {
  const rows = rowsOf(answer)
  if (rows) return rows.length === 0 ? 'None.\n' : tableText(rows, names ?? plainNames(rows))
  return listText(names ? picked(answer, names) : answer) || 'Done.\n'
}
