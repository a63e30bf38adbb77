import type { ChannelStatus } from '#contract/channel.ts'
import type { Client } from '#contract/client.ts'
import type { IntakeReport } from '#contract/intake.ts'
import type { Stats } from '#contract/stats.ts'
import { rangeBefore, selectedRange } from '#dashboard/chart/range.ts'
import { groupLines } from '#dashboard/chart/series.ts'
import { filledSeries } from '#dashboard/chart/statsSeries.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { useRead } from '../../data/here.tsx'
import { OfTag, useQueryState } from '../../data/tag.tsx'
import { Button, CopyButton } from '../../parts/button.tsx'
import { ChartPanel } from '../../parts/chartPanel.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { type ChosenRange, RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { ChannelTable } from '../channels/channelTable.tsx'
import { Checklist } from './checklist.tsx'
import { Funnel } from './funnel.tsx'
import { Notices } from './notices.tsx'
import { Tiles } from './tiles.tsx'

const everyMs = 15_000

const groups = [
  { name: words.groups.delivered, statuses: ['delivered', 'simulated'] as const, color: 'chart-1' },
  { name: words.groups.failed, statuses: ['refused', 'dead'] as const, color: 'chart-2' },
  { name: words.groups.waiting, statuses: ['held', 'pending'] as const, color: 'chart-3' },
  { name: words.groups.notSent, statuses: ['skipped'] as const, color: 'chart-4' },
]

function Outcomes({ stats, range }: { stats: Stats; range: ChosenRange }) {
  const points = filledSeries(stats)
  const lines = groupLines(points, groups).map((line, n) => ({ ...line, color: groups[n]!.color }))
  return (
    <ChartPanel
      title={words.deliveries}
      at={points.map(({ at }) => at)}
      lines={lines}
      isStacked
      onRange={(from, to) => {
        const chosen = selectedRange(from, to, stats.step)
        range.narrow(chosen.from, chosen.to)
      }}
      onReset={range.reset}
    />
  )
}

/** Whether the first steps are still shown: until an event was delivered. */
const isNew = (channels: readonly ChannelStatus[], intake: IntakeReport | undefined) =>
  channels.every(({ lastDeliveredAt }) => lastDeliveredAt === undefined) || intake === undefined

function useOverview(tagId: string, range: ChosenRange, isCompared: boolean) {
  const { key, now } = range
  const options = { everyMs, staysWhile: tagId }
  return {
    stats: useRead(['stats', tagId, key], (api: Client) => api.readStats({ tagId, ...now() }), options),
    before: useRead(['statsBefore', tagId, key], (api: Client) => api.readStats({ tagId, ...rangeBefore(now()) }), {
      isEnabled: isCompared,
    }),
    funnel: useRead(['funnel', tagId, key], (api: Client) => api.readFunnel({ tagId, ...now() }), options),
    intake: useRead(['intake', tagId, key], (api: Client) => api.readIntake({ tagId, ...now() }), options),
    channels: useRead(['channels', tagId], (api: Client) => api.listChannels({ tagId }), { everyMs }),
  }
}

function Overview({ tagId, name, tagUrl }: { tagId: string; name: string; tagUrl: string }) {
  const [query, setQuery] = useQueryState()
  const isCompared = query.compare === 'on'
  const range = useRange()
  const { stats, before, funnel, intake, channels } = useOverview(tagId, range, isCompared)
  const list = channels.data?.channels
  return (
    <>
      <PageHead
        title={name}
        below={
          <>
            <span>{words.tagUrl}</span> <code class="cut">{tagUrl}</code>
            <CopyButton text={tagUrl} label={words.copyTagUrl} />
          </>
        }
        actions={
          <>
            <Button
              isPressed={isCompared}
              onClick={() => setQuery({ ...query, compare: isCompared ? undefined : 'on' })}
            >
              {words.compare}
            </Button>
            <RangePicker />
          </>
        }
      />
      {list && <Notices tagId={tagId} channels={list} />}
      {list && intake.data && isNew(list, intake.data) && (
        <Checklist tagId={tagId} channels={list} intake={intake.data} />
      )}
      <View of={stats} skeleton={<Skeleton rows={1} height="tile" />}>
        {(data) => <Tiles stats={data} before={isCompared ? before.data : undefined} channels={list} />}
      </View>
      <View
        of={stats}
        skeleton={
          <Panel title={words.deliveries}>
            <Skeleton rows={1} height="chart" />
          </Panel>
        }
      >
        {(data) => <Outcomes stats={data} range={range} />}
      </View>
      <Panel title={words.funnel} note={words.funnelNote}>
        <View of={funnel} skeleton={<Skeleton rows={5} />}>
          {(data) => <Funnel tagId={tagId} funnel={data} intake={intake.data} />}
        </View>
      </Panel>
      <Panel title={frameWords.title('channels')} isFlush>
        <View of={channels} skeleton={<Skeleton rows={4} />}>
          {(data) => <ChannelTable tagId={tagId} channels={data.channels} stats={stats.data} />}
        </View>
      </Panel>
    </>
  )
}

/** How a tag does: what needs action, its numbers, and where its events went. */
export default function OverviewPage() {
  return <OfTag>{(tag) => <Overview key={tag.tagId} {...tag} />}</OfTag>
}
