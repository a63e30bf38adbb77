import type { ChannelStatus } from '#contract/channel.ts'
import type { Funnel, Stats } from '#contract/stats.ts'
import { endOf } from '#dashboard/chart/funnel.ts'
import { changeOf } from '#dashboard/chart/range.ts'
import { filledSeries } from '#dashboard/chart/statsSeries.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { change, count, duration, pointChange, share } from '#dashboard/words/format.ts'
import { now } from '../../data/signal.ts'
import { Sparkline } from '../../parts/sparkline.tsx'

type TileProps = {
  title: string
  value: string
  change?: string | undefined
  note: string
  values: readonly number[]
  tone?: 'bad' | 'wait'
}

function Tile({ title, value, change: changed, note, values, tone }: TileProps) {
  return (
    <div class={`tile ${tone ?? ''}`}>
      <dt class="hint">{title}</dt>
      <dd class="tileValue number">
        {value} {changed && <small>{changed}</small>}
      </dd>
      <dd class="hint number tileNote">{note}</dd>
      <dd>
        <Sparkline values={values} />
      </dd>
    </div>
  )
}

type TilesProps = {
  stats: Stats
  /** The current statuses of the deliveries of this range, and of the previous range. */
  funnel: { now: Funnel | undefined; before: Funnel | undefined }
  before: Stats | undefined
  channels: readonly ChannelStatus[] | undefined
}

/** The four numbers of a tag, with their trend and previous value. Deliveries count by current status. */
export function Tiles({ stats, funnel, before, channels }: TilesProps) {
  const { events, latency } = stats
  const series = filledSeries(stats)
  const waiting = channels?.reduce((sum, channel) => sum + channel.waiting, 0)
  const oldest = channels?.flatMap(({ oldestAt }) => oldestAt ?? []).sort((one, other) => one - other)[0]
  const eventsChange = changeOf(events.total, before?.events.total)
  const rateBefore = funnel.before && endOf(funnel.before.parts).rate
  const { rate: delivered, failed } = endOf(funnel.now?.parts ?? [])
  return (
    <dl class="panel tiles">
      <Tile
        title={words.tiles.events}
        value={count(events.total)}
        change={eventsChange === undefined ? undefined : change(eventsChange)}
        note={words.perMinute(events.perMinute)}
        values={series.map((point) => point.events)}
      />
      <Tile
        title={words.tiles.delivered}
        value={share(delivered)}
        change={delivered !== undefined && rateBefore !== undefined ? pointChange(delivered - rateBefore) : undefined}
        note={funnel.now ? words.ofFinal(failed) : ''}
        values={series.map(({ counts }) => counts.delivered ?? 0)}
        {...(failed > 0 && { tone: 'bad' as const })}
      />
      <Tile
        title={words.tiles.answers}
        value={latency?.response ? duration(latency.response.p95Ms) : frameWords.none}
        note={latency?.response ? words.p50(latency.response.p50Ms) : words.noAnswers}
        values={series.map((point) => point.latency?.response?.p95Ms ?? 0)}
      />
      <Tile
        title={words.tiles.waiting}
        value={waiting === undefined ? frameWords.none : count(waiting)}
        note={waiting ? (oldest === undefined ? '' : words.oldest(oldest, now.value)) : words.nothingWaits}
        values={series.map(({ counts }) => (counts.pending ?? 0) + (counts.held ?? 0))}
        {...(waiting ? { tone: 'wait' as const } : {})}
      />
    </dl>
  )
}
