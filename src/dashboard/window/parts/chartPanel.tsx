import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ChartMark, marksIn } from '#dashboard/chart/lines.ts'
import type { ChartRange } from '#dashboard/chart/range.ts'
import type { ChartLine } from '#dashboard/chart/series.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { count, moment } from '#dashboard/words/format.ts'
import { zone } from '../data/signal.ts'
import { Cards } from './cards.tsx'
import { Tabs } from './inputs.tsx'
import { lazyPart } from './lazyPart.tsx'
import { Panel } from './panel.tsx'
import { Skeleton } from './view.tsx'

type ChartPanelProps = {
  title: string
  note?: string
  at: readonly number[]
  lines: readonly ChartLine[]
  isStacked?: boolean
  format?: (value: number) => string
  onRange?: (from: number, to: number) => void
  onReset?: (() => void) | undefined
  step: ChartRange['step']
  marks?: readonly ChartMark[]
  least?: number
  /** More controls beside the title. */
  actions?: ComponentChildren
}

/** The chart library is loaded with the first chart. */
const Chart = lazyPart(
  () => import('./timeChart.tsx').then(({ TimeChart }) => TimeChart),
  () => <Skeleton rows={1} height="chart" />,
)

function ChartTable({ title, at, lines, format = count, marks = [], step }: ChartPanelProps) {
  const timeCell = (n: number) => (
    <>
      {moment(at[n]!, zone.value.value)}
      {marksIn(marks, at[n]!, step).map(({ name }) => ` · ${words.deploymentNamed(name)}`)}
    </>
  )
  return (
    <div class="tableScroll" role="group" aria-label={title} tabIndex={0}>
      <Cards
        variant=""
        label={title}
        columns={[
          { name: 'time', label: words.time, cell: timeCell },
          ...lines.map(({ name, values }, line) => ({
            name: `${line}`,
            label: name,
            isNumber: true,
            cell: (n: number) => {
              const value = values[n]
              return value === null || value === undefined ? frameWords.none : format(value)
            },
          })),
        ]}
        rows={[...at.keys()]}
        keyOf={(n) => `${at[n]}`}
      />
    </div>
  )
}

/** A chart, and the same numbers as a table. */
export function ChartPanel(props: ChartPanelProps) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const { title, at, lines, onReset, actions } = props
  const isEmpty = lines.every(({ values }) => values.every((value) => !value))
  return (
    <Panel
      title={title}
      note={props.note}
      actions={
        <>
          {actions}
          {onReset && (
            <button type="button" class="button quiet small" onClick={onReset}>
              {words.resetRange}
            </button>
          )}
          <Tabs label={title} of={{ chart: words.chart, table: words.table }} value={view} onChange={setView} />
        </>
      }
    >
      {view === 'table' ? <ChartTable {...props} /> : <Chart {...props} at={at} isEmpty={isEmpty} />}
    </Panel>
  )
}
