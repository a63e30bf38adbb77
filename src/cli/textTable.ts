import { isolateDirection, terminalText } from '#contract/displayText.ts'

type TableRow = Readonly<Record<string, unknown>>

const isTimestamp = (name: string, value: unknown): value is number =>
  typeof value === 'number' && /^(?:at|since|from|to|until)$|At$/.test(name) && value > 1e11

/**
 * A value as text: a timestamp as ISO 8601, a list with commas, null and undefined as empty text. Removes control
 * characters with which third-party data could control the terminal.
 */
export function formatValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isTimestamp(name, value)) return new Date(value).toISOString()
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return terminalText(value.join(', '))
  return terminalText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const joinLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

/** Rows as a table with column names; columns without any value are omitted. */
export function formatTable(rows: readonly TableRow[], names: readonly string[]): string {
  const filled = names.filter((name) => rows.some((row) => formatValue(name, row[name]) !== ''))
  const lines = [filled, ...rows.map((row) => filled.map((name) => joinLines(formatValue(name, row[name]))))]
  const widths = filled.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const shown = lines.map((line) =>
    line.map((cell, column) => isolateDirection(cell) + ' '.repeat(widths[column]! - cell.length)).join('  '),
  )
  return shown.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Pairs of path (`a.b.c`) and text for each nested value. */
function flattenFields(value: TableRow, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, each]): [string, string][] => {
    const path = prefix + name
    const isNested = typeof each === 'object' && each !== null && !Array.isArray(each) && Object.keys(each).length > 0
    if (isNested) return flattenFields(each as TableRow, `${path}.`)
    const isList = Array.isArray(each) && each.some((one) => typeof one === 'object')
    return isList
      ? each.flatMap((one, at) => flattenFields(one as TableRow, `${path}.${at}.`))
      : [[path, formatValue(name, each)]]
  })
}

/** Lines of `name  value`. */
export function formatFields(value: TableRow): string {
  const lines = flattenFields(value)
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines.map(([name, text]) => `${`${name.padEnd(width)}  ${isolateDirection(text)}`.trimEnd()}\n`).join('')
}

/** The names of the scalar members of the rows, in order of first appearance. */
const plainNames = (rows: readonly TableRow[]) => {
  const plain = rows.flatMap((row) => Object.keys(row).filter((name) => typeof row[name] !== 'object'))
  return [...new Set(plain)]
}

const isRows = (value: unknown): value is TableRow[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null)

/** The rows of a response that only has a list (`{scripts: […], next?}`). */
function listRows({ next: _, ...rest }: TableRow): TableRow[] | undefined {
  const [only, ...others] = Object.values(rest)
  return others.length === 0 && isRows(only) && !('errors' in rest) ? only : undefined
}

const pickFields = (value: TableRow, names: readonly string[]): TableRow =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]))

/** A response as text: a list as a table, else its values by name. `names` selects the members. */
export function formatAnswer(answer: TableRow, names?: readonly string[]): string {
  const rows = listRows(answer)
  if (rows) return rows.length === 0 ? 'None.\n' : formatTable(rows, names ?? plainNames(rows))
  return formatFields(names ? pickFields(answer, names) : answer) || 'Done.\n'
}
