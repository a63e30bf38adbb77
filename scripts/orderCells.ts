import { reasons, statuses } from '#contract/deliveryStatus.ts'
import { cellOf } from '#contract/orderCells.ts'

/** A table of the cell for each status and reason. */
function cellsTable(): string {
  const rows = statuses.map((status) => {
    const cells = reasons.map((reason) => [reason, cellOf(status, reason)] as const)
    const byCell = Map.groupBy(cells, ([, cell]) => cell)
    const text =
      byCell.size === 1
        ? `\`${cells[0]![1]}\``
        : [...byCell].map(([cell, own]) => `\`${cell}\`: ${own.map(([reason]) => reason).join(', ')}`).join('; ')
    const without = cellOf(status, undefined)
    return `| ${status} | ${text}${byCell.size === 1 ? '' : `; \`${without}\`: without a reason`} |`
  })
  return ['| status | cell: reasons |', '|---|---|', ...rows].join('\n')
}

const [begin, end] = ['## Which end of a delivery is which cell\n', '\n## Send what is missing']

/** Inserts the table into the page of orders. */
export function withCells(page: string): string {
  const from = page.indexOf(begin) + begin.length
  const intro = 'Written by `npm run docs` from `src/contract/orderCells.ts`.'
  return `${page.slice(0, from)}\n${intro}\n\n${cellsTable()}\n${page.slice(page.indexOf(end))}`
}
