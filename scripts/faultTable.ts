/** The result of one fault in one run. Counts are added up; for names with `slowest…` or `p99…`, the worst value counts. */
export type Row = { fault: string; seed: number; minutes?: number; holds?: boolean } & Record<string, unknown>

const counts = ['times', 'accepted', 'delivered', 'pending', 'failed', 'lost', 'phantom', 'repeated'] as const
const isWorst = (name: string) => /^(slowest|p99)/.test(name)

/** The rows of all runs as a Markdown table, with a line for each fault and one for the total. */
export function table(rows: readonly Row[]): string {
  const passes = rows.filter(({ fault }) => fault === 'pass')
  const faults = [...new Set(rows.map(({ fault }) => fault))].filter((fault) => fault !== 'pass')
  const lines = faults.map((fault) =>
    lineOf(
      fault,
      rows.filter((row) => row.fault === fault),
    ),
  )
  const minutes = passes.reduce((sum, row) => sum + (row.minutes ?? 0), 0)
  const seeds = passes.map(({ seed }) => seed)
  return [
    `| fault | ${counts.join(' | ')} | at worst |`,
    `|---|${counts.map(() => '---:|').join('')}---|`,
    ...lines,
    '',
    `${passes.length} ${passes.length === 1 ? 'pass' : 'passes'} in ${minutes.toFixed(0)} minutes, seeds ${Math.min(...seeds)} to ${Math.max(...seeds)}, ` +
      `${passes.every(({ holds }) => holds) ? 'all held' : 'NOT ALL HELD'}.`,
  ].join('\n')
}

function lineOf(fault: string, rows: readonly Row[]): string {
  const sums = counts.map((name) => sumOf(rows, name))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(isWorst)
  const worst = names.map((name) => {
    const most = Math.max(...rows.map((row) => Number(row[name] ?? 0)))
    return `${wordsOf(name)} ${shown(most)} ms`
  })
  return `| ${fault.replace(/^cluster: /, '')} | ${sums.join(' | ')} | ${worst.join(', ')} |`
}

/** `slowest accept gap` of `slowestAcceptGapMs`. */
const wordsOf = (name: string) =>
  name
    .replace('Ms', '')
    .replace(/[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()

const shown = (count: number) => count.toLocaleString('en-US')

function sumOf(rows: readonly Row[], name: string): string {
  const given = rows.flatMap((row) => (typeof row[name] === 'number' ? [row[name]] : []))
  return given.length > 0 ? shown(given.reduce((sum, each) => sum + each, 0)) : ''
}

/** A page with the text below a heading of the second level replaced. */
export function withSection(page: string, heading: string, text: string): string {
  const begin = page.indexOf(`## ${heading}\n`)
  if (begin < 0) throw new Error(`The page has no heading ${heading}.`)
  const next = page.indexOf('\n## ', begin + 1)
  const after = next < 0 ? '' : page.slice(next)
  return `${page.slice(0, begin)}## ${heading}\n\n${text.trim()}\n${after}`
}
