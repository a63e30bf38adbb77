import { useState } from 'preact/hooks'
import type { ChannelStatus } from '#contract/channel.ts'
import type { IntakeReport } from '#contract/intake.ts'
import type { Stats } from '#contract/stats.ts'
import { type ChartedLatency, type ChartMark, failureLines, intakeLines, latencyLines } from '#dashboard/chart/lines.ts'
import { type ChartRange, selectedRange } from '#dashboard/chart/range.ts'
import { groupLines } from '#dashboard/chart/series.ts'
import { filledSeries } from '#dashboard/chart/statsSeries.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { count, duration, rate } from '#dashboard/words/format.ts'
import { useAddress } from '../../data/here.tsx'
import { now } from '../../data/signal.ts'
import { ChartPanel } from '../../parts/chartPanel.tsx'
import { Options } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { ChosenRange } from '../../parts/rangePicker.tsx'

const groups = [
  { name: words.groups.delivered, statuses: ['delivered', 'simulated'] as const, color: 'chart-1' },
  { name: words.groups.failed, statuses: ['refused', 'dead'] as const, color: 'chart-2' },
  { name: words.groups.waiting, statuses: ['held', 'pending'] as const, color: 'chart-3' },
  { name: words.groups.notSent, statuses: ['skipped'] as const, color: 'chart-4' },
]

type ChartProps = { range: ChosenRange; marks: readonly ChartMark[] }

/** The props that all charts of the range share: step, marks, and narrowing by dragging. */
const common = ({ range, marks }: ChartProps, { step }: Pick<ChartRange, 'step'>) => ({
  step,
  marks,
  onRange(from: number, to: number) {
    const chosen = selectedRange(from, to, step)
    range.narrow(chosen.from, chosen.to)
  },
})

/** Deliveries by outcome. */
export function Outcomes({ stats, ...props }: ChartProps & { stats: Stats }) {
  const points = filledSeries(stats)
  const lines = groupLines(points, groups).map((line, n) => ({ ...line, color: groups[n]!.color }))
  return (
    <ChartPanel
      title={words.deliveries}
      note={words.deliveriesNote}
      at={points.map(({ at }) => at)}
      lines={lines}
      isStacked
      onReset={props.range.reset}
      {...common(props, stats)}
    />
  )
}

/** The vendors' response times, or the time until an event is delivered. */
export function LatencyChart({ stats, ...props }: ChartProps & { stats: Stats }) {
  const [kind, setKind] = useState<ChartedLatency>('response')
  const points = filledSeries(stats)
  return (
    <ChartPanel
      title={words.latency}
      at={points.map(({ at }) => at)}
      lines={latencyLines(points, kind, (name) => words.percentiles[name])}
      format={duration}
      least={100}
      actions={
        <select
          aria-label={words.latency}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as ChartedLatency)}
        >
          <Options of={Object.entries(words.latencyKinds)} />
        </select>
      }
      {...common(props, stats)}
    />
  )
}

type FailureProps = ChartProps & { stats: Stats; channels: readonly ChannelStatus[] }

/** The share of failed deliveries, for the channels with the most failures. */
export function FailureChart({ stats, channels, ...props }: FailureProps) {
  const names = new Map(channels.map(({ scriptId, name }) => [scriptId, name]))
  const lines = failureLines(stats, (scriptId) => names.get(scriptId) ?? scriptId)
  if (lines.length === 0)
    return (
      <Panel title={words.failures} note={words.failuresNote}>
        <p class="soft">{words.noFailures}</p>
      </Panel>
    )
  return (
    <ChartPanel
      title={words.failures}
      at={filledSeries(stats).map(({ at }) => at)}
      lines={lines}
      format={rate}
      least={0.05}
      {...common(props, stats)}
    />
  )
}

const intakeNames = ['accepted', 'duplicate', 'rejected', 'refused'] as const
const intakeColors = { accepted: 'chart-1', duplicate: 'chart-4', rejected: 'chart-3', refused: 'chart-2' }

/** Events received, and calls refused. */
export function IntakeChart({ intake, ...props }: ChartProps & { intake: IntakeReport }) {
  const { at, values } = intakeLines(intake, intake)
  const lines = intakeNames.map((name) => ({
    name: words.intake[name],
    color: intakeColors[name],
    values: values[name],
  }))
  return <ChartPanel title={words.events} at={at} lines={lines} {...common(props, intake)} />
}

/** The number of waiting deliveries of each channel. */
export function WaitingBars({ tagId, channels }: { tagId: string; channels: readonly ChannelStatus[] }) {
  const address = useAddress()
  const waiting = channels.filter((each) => each.waiting > 0).sort((one, other) => other.waiting - one.waiting)
  const most = waiting[0]?.waiting ?? 1
  return (
    <Panel title={words.waitingByChannel}>
      {waiting.length === 0 ? (
        <p class="soft">{words.nothingWaits}</p>
      ) : (
        <ul class="waitingBars">
          {waiting.map(({ scriptId, name, waiting: sum, oldestAt }) => (
            <li key={scriptId}>
              <a
                class="cut"
                title={oldestAt === undefined ? undefined : words.waitingOldest(oldestAt, now.value)}
                href={address('deliveries', { tagId }, { channel: scriptId, status: 'pending' })}
              >
                <bdi>{name}</bdi>
              </a>
              <b class="number">{count(sum)}</b>
              <span class="bar">
                <span class="barFill wait" style={{ inlineSize: `${(sum / most) * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
