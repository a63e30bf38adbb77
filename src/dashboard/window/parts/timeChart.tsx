import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { type ChartMark, marksIn } from '#dashboard/chart/lines.ts'
import type { ChartRange } from '#dashboard/chart/range.ts'
import { type ChartLine, stack } from '#dashboard/chart/series.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { count, minute, moment, shortCount } from '#dashboard/words/format.ts'
import { theme, zone } from '../data/signal.ts'

export type TimeChartProps = {
  title: string
  /** epoch ms */
  at: readonly number[]
  lines: readonly ChartLine[]
  isStacked?: boolean
  isEmpty: boolean
  format?: (value: number) => string
  onRange?: (from: number, to: number) => void
  step: ChartRange['step']
  /** Moments marked by a line across the chart. */
  marks?: readonly ChartMark[]
  /** The scale reaches at least this value, so that small numbers do not look large. */
  least?: number
}

/** Points between two gaps, which no line connects. */
const isolated: uPlot.Series.Points.Filter = ({ data }, series) => {
  const values = data[series] ?? []
  const isGap = (at: number) => values[at] === null || values[at] === undefined
  return [...values.keys()].filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1))
}

/** The value of a theme colour for the canvas. */
function colorOf(box: HTMLElement, name: string): string {
  box.style.color = name.includes('(') ? name : `var(--${name})`
  const { color } = getComputedStyle(box)
  box.style.color = ''
  return color
}

/** The colour of an area: opaque, so that stacked areas do not shine through each other. */
const areaOf = (box: HTMLElement, name: string) => colorOf(box, `color-mix(in srgb, var(--${name}) 24%, var(--card))`)

/** A dashed line across the chart at each step that has marks. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, { marks = [], at, step }: TimeChartProps, color: string): void {
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
  for (const time of at) {
    if (marksIn(marks, time, step).length === 0) continue
    const left = Math.round(valToPos(time / 1_000, 'x', true))
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

type Setup = { box: HTMLElement; props: TimeChartProps; onPoint: (at: number | undefined) => void }

function optionsOf({ box, props, onPoint }: Setup): uPlot.Options {
  const { lines, isStacked, format = shortCount, onRange, at, least = 4 } = props
  const [soft, line, control] = [colorOf(box, 'soft'), colorOf(box, 'line'), colorOf(box, 'control')]
  const axis = {
    stroke: soft,
    grid: { show: false },
    ticks: { show: false },
    font: '12px Inter, system-ui, sans-serif',
  }
  const drawn = lines.map(({ name, color }) => {
    const stroke = colorOf(box, color)
    return {
      label: name,
      stroke,
      width: 1.5,
      ...(isStacked && { fill: areaOf(box, color) }),
      points: { show: !isStacked, size: 5, fill: stroke, filter: isolated },
    }
  })
  const lengthMs = (at.at(-1) ?? 0) - (at[0] ?? 0)
  return {
    width: box.clientWidth,
    height: box.clientHeight,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: Boolean(onRange), y: false, setScale: false }, points: { size: 6 } },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max((most ?? 0) * 1.1, least)] } },
    axes: [
      {
        ...axis,
        values: (_, ticks) =>
          ticks.map((s) =>
            lengthMs > 172_800_000
              ? moment(s * 1_000, zone.value.value).split(',')[0]!
              : minute(s * 1_000, zone.value.value),
          ),
        space: 72,
        size: 28,
      },
      { ...axis, grid: { show: true, stroke: line, width: 1 }, size: 48, values: (_, ticks) => ticks.map(format) },
    ],
    series: [{}, ...(isStacked ? drawn.reverse() : drawn)],
    hooks: {
      draw: [(plot) => drawMarks(plot, props, control)],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < 8 || !onRange) return
          onRange(plot.posToVal(left, 'x') * 1_000, plot.posToVal(left + width, 'x') * 1_000)
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

function dataOf({ at, lines, isStacked }: TimeChartProps): uPlot.AlignedData {
  const values = (isStacked ? stack(lines).reverse() : lines).map((each) => each.values)
  return [at.map((ms) => ms / 1_000), ...values] as uPlot.AlignedData
}

type LegendProps = Pick<TimeChartProps, 'at' | 'lines' | 'marks' | 'step'> & {
  point: number | undefined
  format: (value: number) => string
}

/** The value at the cursor; nothing without a cursor, and a dash in a gap. */
const valueText = (value: number | null | undefined, format: (value: number) => string) =>
  value === undefined ? '' : value === null ? frameWords.none : format(value)

/** The lines by name and colour, with their values at the cursor. */
function Legend({ at, lines, point, format, marks = [], step }: LegendProps) {
  const inView = marks.filter((mark) => mark.at >= (at[0] ?? 0))
  const here = point === undefined ? [] : marksIn(marks, at[point]!, step)
  return (
    <figcaption class="line hint legend">
      {lines.map(({ name, color, values }) => (
        <span key={name}>
          <i class="swatch" style={{ background: `var(--${color})` }} />
          <bdi class="cut legendName" title={name}>
            {name}
          </bdi>{' '}
          <b class="number">{valueText(values[point ?? -1], format)}</b>
        </span>
      ))}
      {inView.length > 0 && (
        <span>
          <i class="swatch deployment" />
          {frameWords.title.deployment} <b class="number">{here.map(({ name }) => name).join(', ')}</b>
        </span>
      )}
      {point !== undefined && <span class="end number">{moment(at[point]!, zone.value.value)}</span>}
    </figcaption>
  )
}

/** The chart. Arrow keys move the cursor, whose values a screen reader announces; Enter narrows to the point. */
export function TimeChart(props: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [point, setPoint] = useState<number | undefined>()
  const { at, lines, title, isEmpty, format = count, onRange, marks = [], step } = props
  const names = lines.map(({ name }) => name).join()
  const scheme = `${theme.value.value} ${zone.value.value}`
  useEffect(() => {
    const host = box.current!
    const create = () => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf({ box: host, props, onPoint: setPoint }), dataOf(props), host)
    }
    create()
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: host.clientWidth, height: host.clientHeight }),
    )
    resize.observe(host)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', create)
    return () => {
      resize.disconnect()
      dark.removeEventListener('change', create)
      plot.current?.destroy()
    }
  }, [names, scheme, at[0], at.length, marks.length])
  useEffect(() => plot.current?.setData(dataOf(props)), [at, lines])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step !== undefined) {
      const next = Math.min(Math.max((point ?? (step > 0 ? -1 : at.length)) + step, 0), at.length - 1)
      plot.current?.setCursor({ left: plot.current.valToPos(at[next]! / 1_000, 'x'), top: 8 })
    } else if (event.key === 'Enter' && point !== undefined && onRange) onRange(at[point]!, at[point]! + 1)
    else return
    event.preventDefault()
  }
  const texts = [
    ...lines.map(({ name, values }) => `${name} ${valueText(values[point ?? -1], format)}`),
    ...marksIn(marks, at[point ?? -1] ?? 0, step).map(({ name }) => words.deploymentNamed(name)),
  ]
  return (
    <figure class="stack tight">
      <Legend at={at} lines={lines} point={point} format={format} marks={marks} step={step} />
      <div
        ref={box}
        class="chartBox"
        tabIndex={0}
        role="img"
        aria-label={`${title}. ${onRange ? words.dragHint : ''}`}
        onKeyDown={move}
      >
        {isEmpty && <p class="chartEmpty">{words.noData}</p>}
      </div>
      <p class="hidden" role="status">
        {point === undefined ? '' : `${moment(at[point]!, zone.value.value)}: ${texts.join(', ')}`}
      </p>
    </figure>
  )
}
