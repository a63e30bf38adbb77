import { Plus } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Me } from '#contract/me.ts'
import type { TeamStats } from '#contract/stats.ts'
import { fillSteps } from '#dashboard/chart/series.ts'
import { worstHealth } from '#dashboard/list/health.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, rate } from '#dashboard/words/format.ts'
import { useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { HealthMark } from '../../parts/status.tsx'
import { Empty, ProblemNote } from '../../parts/view.tsx'

const { columns } = words

/** Whether an element was in view. */
function useSeen() {
  const [isSeen, setSeen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && setSeen(true))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return { element, isSeen }
}

/** The worst health of the channels of a tag, and how many have it. A tag is asked when its row comes into view. */
function TagHealth({ tagId }: { tagId: string }) {
  const { me } = useHere()
  const { element, isSeen } = useSeen()
  const isEnabled = isSeen && me.scopes.includes('event:read')
  const channels = useRead(['channels', tagId], (api: Client) => api.listChannels({ tagId }), {
    isEnabled,
    everyMs: 30_000,
  })
  const worst = channels.data && worstHealth(channels.data.channels)
  return (
    <div ref={element}>
      {worst ? (
        <HealthMark of={worst.health}>
          {words.healthOf(worst.count, channels.data!.channels.length, statusWords.health[worst.health])}
        </HealthMark>
      ) : (
        <span class="soft">{channels.data ? words.noChannelsTitle : words.none}</span>
      )}
    </div>
  )
}

/** The row of one tag; `row` is undefined without numbers. */
function TagRow({
  tag: { tagId, name, tagUrl },
  row,
  trend,
}: {
  tag: Me['tags'][number]
  row: TeamStats['tags'][number] | undefined
  trend: readonly number[]
}) {
  const address = useAddress()
  return (
    <tr>
      <th scope="row">
        <a class="rowLink" href={address('overview', { tagId })}>
          <bdi>{name}</bdi>
        </a>
        <small class="soft cut">{tagUrl}</small>
      </th>
      <td class="stateCell">
        <TagHealth tagId={tagId} />
      </td>
      <td class="number rateCell" data-label={columns.events}>
        {row ? count(row.events.total) : words.none}
      </td>
      <td class="number waitingCell" data-label={columns.rate}>
        {row?.deliveries.deliveredRate === undefined ? words.none : rate(row.deliveries.deliveredRate)}
      </td>
      <td class="wide">
        <Sparkline values={trend} />
      </td>
    </tr>
  )
}

const TableHead = () => (
  <thead>
    <tr>
      <th scope="col">{columns.tag}</th>
      <th scope="col">{columns.channels}</th>
      <th scope="col" class="number">
        {columns.events}
      </th>
      <th scope="col" class="number">
        {columns.rate}
      </th>
      <th scope="col" class="wide">
        {columns.trend}
      </th>
    </tr>
  </thead>
)

/** Every tag of the team with its numbers. */
export default function TeamPage() {
  const { me } = useHere()
  const address = useAddress()
  const { why } = useMay('tag:write')
  const { key, now } = useRange('24h')
  const stats = useRead(['teamStats', key], (api: Client) => api.readTeamStats({ ...now(), limit: 200 }), {
    everyMs: 30_000,
    staysWhile: 'teamStats',
    isEnabled: me.tags.length > 0 && me.scopes.includes('event:read'),
  })
  const trendOf = (tagId: string) =>
    stats.data
      ? fillSteps(rowOf(tagId)?.series ?? [], stats.data, (at) => ({ at, events: 0, counts: {} })).map(
          ({ events }) => events,
        )
      : []
  const rowOf = (tagId: string) => stats.data?.tags.find((tag) => tag.tagId === tagId)
  return (
    <>
      <PageHead
        title={words.teamTitle}
        below={words.teamNote}
        actions={
          <>
            <RangePicker fallback="24h" />
            <LinkButton icon={Plus} href={address('newTag', {})} why={why}>
              {words.newTag}
            </LinkButton>
          </>
        }
      />
      {stats.error && !stats.data && <ProblemNote error={stats.error} onRetry={() => void stats.refetch()} />}
      <div class="panel flush">
        {me.tags.length === 0 ? (
          <Empty title={words.noTagsTitle}>{words.noTags}</Empty>
        ) : (
          <table class="table rows teamTable" aria-label={words.teamTitle}>
            <TableHead />
            <tbody>
              {me.tags.map((tag) => (
                <TagRow key={tag.tagId} tag={tag} row={rowOf(tag.tagId)} trend={trendOf(tag.tagId)} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  )
}
