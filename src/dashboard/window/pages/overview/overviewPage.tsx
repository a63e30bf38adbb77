import { Circle, CircleCheck } from 'lucide'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ChannelStatus } from '#contract/channel.ts'
import type { IntakeReport } from '#contract/intake.ts'
import type { Stats } from '#contract/stats.ts'
import type { ChartMark } from '#dashboard/chart/lines.ts'
import { rangeBefore } from '#dashboard/chart/range.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { type ChosenRange, RangePicker, startAndEnd, useRange } from '../../parts/rangePicker.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { ChannelTable } from '../channels/channelTable.tsx'
import { FailureChart, IntakeChart, LatencyChart, Outcomes, WaitingBars } from './charts.tsx'
import { Funnel } from './funnel.tsx'
import { Notices } from './notices.tsx'
import { Tiles } from './tiles.tsx'

type StepName = keyof typeof words.steps

type ChecklistProps = { tagId: string; channels: readonly ChannelStatus[]; intake: IntakeReport }

/** The steps to the first delivered event. */
function Checklist({ tagId, channels, intake }: ChecklistProps) {
  const { session } = useHere()
  const address = useAddress()
  const steps: { name: StepName; isDone: boolean; href: string }[] = [
    { name: 'password', isDone: session.person.email !== undefined, href: address('me', {}) },
    {
      name: 'snippet',
      isDone: intake.seen.some(({ call }) => call === 'load' || call === 'tag'),
      href: address('install', { tagId }),
    },
    { name: 'channel', isDone: channels.length > 0, href: address('newChannel', { tagId }) },
    {
      name: 'delivered',
      isDone: channels.some(({ lastDeliveredAt }) => lastDeliveredAt !== undefined),
      href: address('install', { tagId }),
    },
  ]
  return (
    <Panel title={words.checklist} note={words.checklistNote} isFlush>
      <ol class="checklist">
        {steps.map(({ name, isDone, href }) => (
          <li key={name} class={isDone ? 'done' : ''}>
            <Icon of={isDone ? CircleCheck : Circle} label={isDone ? words.stepDone : words.stepOpen} />
            <span>
              <a href={href}>{words.steps[name][0]}</a>
              <small class="soft">{words.steps[name][1]}</small>
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const everyMs = 15_000

/** Whether the first steps are still shown: until an event was delivered. */
const isNew = (channels: readonly ChannelStatus[], intake: IntakeReport | undefined) =>
  channels.every(({ lastDeliveredAt }) => lastDeliveredAt === undefined) || intake === undefined

/** Whether the tag has never received anything: only the first steps are shown, because all numbers are zero. */
const isUnused = ({ seen, accepted }: IntakeReport) => accepted === 0 && seen.every(({ call }) => call !== 'tag')

/** Whether a range is empty, so that there is nothing to compare it with. */
const hasNothing = ({ events, deliveries }: Stats) => events.total === 0 && Object.keys(deliveries.counts).length === 0

const ChartSkeleton = () => (
  <Panel title={words.deliveries}>
    <Skeleton rows={1} height="chart" />
  </Panel>
)

function useOverview(tagId: string, range: ChosenRange, isCompared: boolean) {
  const { key, now } = range
  const options = { everyMs, staysWhile: tagId }
  return {
    stats: useRead(['stats', tagId, key], (api) => api.readStats({ tagId, series: 'script', ...now() }), options),
    before: useRead(['statsBefore', tagId, key], (api) => api.readStats({ tagId, ...rangeBefore(now()) }), {
      isEnabled: isCompared,
    }),
    funnelBefore: useRead(
      ['funnelBefore', tagId, key],
      (api) => api.readFunnel({ tagId, ...startAndEnd(rangeBefore(now())) }),
      { isEnabled: isCompared },
    ),
    funnel: useRead(['funnel', tagId, key], (api) => api.readFunnel({ tagId, ...now() }), options),
    intake: useRead(['intake', tagId, key], (api) => api.readIntake({ tagId, ...now() }), options),
    channels: useRead(['channels', tagId], (api) => api.listChannels({ tagId }), { everyMs }),
  }
}

/** Deployment marks are loaded after the first view is shown. */
const marksAfterMs = 1_000

/** The last deployments of the tag, as marks of its charts. */
function useDeployments(tagId: string, isShown: boolean): ChartMark[] {
  const { may } = useMay('tag:read')
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    if (!isShown) return undefined
    const timer = setTimeout(() => setLater(true), marksAfterMs)
    return () => clearTimeout(timer)
  }, [isShown])
  const { data } = useRead(['deploymentMarks', tagId], (api) => api.listDeployments({ tagId, limit: 100 }), {
    isEnabled: may && isLater,
    everyMs: 60_000,
  })
  return useMemo(() => data?.deployments.map(({ at, number }) => ({ at, name: `${number}` })) ?? [], [data])
}

type MoreChartsProps = {
  tagId: string
  stats: Stats
  intake: IntakeReport | undefined
  channels: readonly ChannelStatus[]
  chart: { range: ChosenRange; marks: readonly ChartMark[] }
}

const MoreCharts = ({ tagId, stats, intake, channels, chart }: MoreChartsProps) => (
  <div class="columns chartGrid">
    <LatencyChart stats={stats} {...chart} />
    <FailureChart stats={stats} channels={channels} {...chart} />
    {intake && <IntakeChart intake={intake} {...chart} />}
    <WaitingBars tagId={tagId} channels={channels} />
  </div>
)

/** The name and tag URL, the range, and whether it is compared with the previous range. */
function Head({ name, tagUrl }: { name: string; tagUrl: string }) {
  const [query, setQuery] = useQueryState()
  const isCompared = query.compare === 'on'
  return (
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
          <Button isPressed={isCompared} onClick={() => setQuery({ ...query, compare: isCompared ? undefined : 'on' })}>
            {words.compare}
          </Button>
          <RangePicker />
        </>
      }
    />
  )
}

function Overview({ tagId, name, tagUrl }: { tagId: string; name: string; tagUrl: string }) {
  const isCompared = useQueryState()[0].compare === 'on'
  const range = useRange()
  const { stats, before, funnel, funnelBefore, intake, channels } = useOverview(tagId, range, isCompared)
  const list = channels.data?.channels
  const marks = useDeployments(tagId, stats.data !== undefined)
  const isNewTag = list && intake.data && isNew(list, intake.data)
  const isBeforeFirst = isNewTag && isUnused(intake.data)
  return (
    <>
      <Head name={name} tagUrl={tagUrl} />
      {list && <Notices tagId={tagId} channels={list} />}
      {isNewTag && intake.data && <Checklist tagId={tagId} channels={list} intake={intake.data} />}
      {!isBeforeFirst && (
        <>
          {isCompared && before.data && hasNothing(before.data) && (
            <p class="row notice" role="status">
              <span>{words.noBefore}</span>
            </p>
          )}
          <View of={stats} skeleton={<Skeleton rows={1} height="tile" />}>
            {(data) => (
              <Tiles
                stats={data}
                funnel={{ now: funnel.data, before: isCompared ? funnelBefore.data : undefined }}
                before={isCompared ? before.data : undefined}
                channels={list}
              />
            )}
          </View>
          <View of={stats} skeleton={<ChartSkeleton />}>
            {(data) => <Outcomes stats={data} range={range} marks={marks} />}
          </View>
          <Panel title={words.funnel} note={words.funnelNote}>
            <View of={funnel} skeleton={<Skeleton rows={5} />}>
              {(data) => <Funnel tagId={tagId} funnel={data} intake={intake.data} />}
            </View>
          </Panel>
        </>
      )}
      <Panel title={frameWords.title.channels} isFlush>
        <View of={channels} skeleton={<Skeleton rows={4} />}>
          {(data) => <ChannelTable tagId={tagId} channels={data.channels} stats={stats.data} />}
        </View>
      </Panel>
      {!isBeforeFirst && stats.data && (
        <MoreCharts
          tagId={tagId}
          stats={stats.data}
          intake={intake.data}
          channels={list ?? []}
          chart={{ range, marks }}
        />
      )}
    </>
  )
}

/** The state of a tag: what needs action, its numbers, and where its events went. */
export default tagPage(Overview)
