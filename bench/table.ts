import { type Figure, figures, kept, type Row } from './part.ts'

const number = (figure: Figure, value: number | undefined) =>
  value === undefined
    ? ''
    : value.toLocaleString('en', {
        minimumFractionDigits: figures[figure].digits,
        maximumFractionDigits: figures[figure].digits,
      })

/** Headings and cells: the figures that any row has, and the durability if any row has it. */
export function cellsOf(rows: readonly Row[]): { headings: string[]; lines: string[][]; isNumber: boolean[] } {
  const used = (Object.keys(figures) as Figure[]).filter((name) => rows.some((row) => row.figures[name] !== undefined))
  const keeps = rows.some((row) => row.keeps !== undefined)
  return {
    headings: ['', 'who', ...(keeps ? ['kept before the answer'] : []), ...used.map((name) => figures[name].heading)],
    isNumber: [false, false, ...(keeps ? [false] : []), ...used.map(() => true)],
    lines: rows.map((row) => [
      row.size,
      row.who,
      ...(keeps ? [row.keeps ? kept[row.keeps] : ''] : []),
      ...used.map((name) => number(name, row.figures[name])),
    ]),
  }
}

/** For a terminal. */
export function textTable(rows: readonly Row[]): string {
  const { headings, lines, isNumber } = cellsOf(rows)
  const widths = headings.map((heading, at) => Math.max(heading.length, ...lines.map((line) => line[at]!.length)))
  const show = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  return [headings, ...lines].map(show).join('\n')
}

/** For docs/performance.md. */
export function markdownTable(rows: readonly Row[]): string {
  const { headings, lines, isNumber } = cellsOf(rows)
  const show = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = `|${isNumber.map((right) => (right ? '---:' : '---')).join('|')}|`
  return [show(headings), rule, ...lines.map(show)].join('\n')
}
