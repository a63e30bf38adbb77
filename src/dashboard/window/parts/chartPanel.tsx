import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type ChartMark, marksIn } from '#dashboard/chart/lines.ts'
import type { ChartRange } from '#dashboard/chart/range.ts'
import type { ChartLine } from '#dashboard/chart/series.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { count, moment } from '#dashboard/words/format.ts'
import { zone } from '../data/signal.ts'
import { Panel } from './panel.tsx'
import type { TimeChartProps } from './timeChart.tsx'
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

/** The library of the charts is loaded with the first of them. */
let loaded: ComponentType<TimeChartProps> | undefined
function useChart(): ComponentType<TimeChartProps> | undefined {
  const [chart, setChart] = useState(() => loaded)
  useEffect(() => {
    // Also where another panel has loaded it since this one was rendered.
    if (!chart)
      void import('./timeChart.tsx').then(({ TimeChart }) => {
        loaded = TimeChart
        setChart(() => TimeChart)
      })
  }, [])
  return chart
}

function ChartTable({ title, at, lines, format = count, marks = [], step }: ChartPanelProps) {
  return (
    <div class="tableScroll" role="group" aria-label={title} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((time, n) => (
            <tr key={time}>
              <th scope="row">
                {moment(time, zone.value.value)}
                {marksIn(marks, time, step).map(({ name }) => ` · ${words.deploymentNamed(name)}`)}
              </th>
              {lines.map(({ name, values }) => (
                <td key={name} class="number">
                  {values[n] === null || values[n] === undefined ? words.none : format(values[n])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A chart, and the same numbers as a table. */
export function ChartPanel(props: ChartPanelProps) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const Chart = useChart()
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
          <div class="tabs" role="group" aria-label={title}>
            {(['chart', 'table'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
                {words[name]}
              </button>
            ))}
          </div>
        </>
      }
    >
      {view === 'table' ? (
        <ChartTable {...props} />
      ) : Chart ? (
        <Chart {...props} at={at} isEmpty={isEmpty} />
      ) : (
        <Skeleton rows={1} height="chart" />
      )}
    </Panel>
  )
}
