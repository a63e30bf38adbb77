import { PackageOpen, Plus } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Me } from '#contract/me.ts'
import type { TeamStats } from '#contract/stats.ts'
import { fillSteps } from '#dashboard/chart/series.ts'
import { worstHealth } from '#dashboard/list/health.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, share } from '#dashboard/words/format.ts'
import { useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { HealthMark } from '../../parts/status.tsx'
import { Empty, ProblemNote } from '../../parts/view.tsx'

const { columns } = words

/** Whether an element has been in view. */
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

/** The worst health of a tag's channels, and how many have it. Loaded when the tag's row comes into view. */
function TagHealth({ tagId }: { tagId: string }) {
  const { me } = useHere()
  const { element, isSeen } = useSeen()
  const isEnabled = isSeen && me.scopes.includes('event:read')
  const channels = useRead(['channels', tagId], (api) => api.listChannels({ tagId }), {
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
        <span class="soft">{channels.data ? words.noChannelsTitle : frameWords.none}</span>
      )}
    </div>
  )
}

function TagName({ of: { tagId, name, tagUrl } }: { of: Me['tags'][number] }) {
  const address = useAddress()
  return (
    <>
      <a class="rowLink" href={address('overview', { tagId })}>
        <bdi>{name}</bdi>
      </a>
      <small class="soft cut">{tagUrl}</small>
    </>
  )
}

type StatsRow = TeamStats['tags'][number] | undefined
const eventsOf = (row: StatsRow) => (row ? count(row.events.total) : frameWords.none)
const rateOf = (row: StatsRow) => share(row?.deliveries.deliveredRate)

/** The events of a tag in each step of the range. */
const trendOf = (stats: TeamStats | undefined, row: StatsRow) =>
  stats ? fillSteps(row?.series ?? [], stats, (at) => ({ at, events: 0, counts: {} })).map(({ events }) => events) : []

/** Every tag of the team with its numbers. */
export default function TeamPage() {
  const { me } = useHere()
  const address = useAddress()
  const { why } = useMay('tag:write')
  const { key, now } = useRange('24h')
  const stats = useRead(['teamStats', key], (api) => api.readTeamStats({ ...now(), limit: 200 }), {
    everyMs: 30_000,
    staysWhile: 'teamStats',
    isEnabled: me.tags.length > 0 && me.scopes.includes('event:read'),
  })
  const rowOf = (tagId: string) => stats.data?.tags.find((tag) => tag.tagId === tagId)
  return (
    <>
      <PageHead
        title={words.teamTitle}
        below={words.teamNote}
        actions={
          <>
            <RangePicker fallback="24h" />
            <LinkButton icon={PackageOpen} href={address('moveIn', {})} why={why}>
              {frameWords.title.moveIn}
            </LinkButton>
            <LinkButton icon={Plus} href={address('newTag', {})} why={why}>
              {frameWords.title.newTag}
            </LinkButton>
          </>
        }
      />
      {stats.error && !stats.data && <ProblemNote error={stats.error} onRetry={() => void stats.refetch()} />}
      <div class="panel flush">
        {me.tags.length === 0 ? (
          <Empty title={words.noTagsTitle}>{words.noTags}</Empty>
        ) : (
          <Cards
            variant="rows teamTable"
            label={words.teamTitle}
            columns={[
              { name: 'tag', label: frameWords.chooseTag, cell: (tag) => <TagName of={tag} /> },
              { name: 'state', label: frameWords.title.channels, cell: ({ tagId }) => <TagHealth tagId={tagId} /> },
              {
                name: 'events',
                label: frameWords.title.events,
                isNumber: true,
                cell: ({ tagId }) => eventsOf(rowOf(tagId)),
              },
              { name: 'delivered', label: columns.rate, isNumber: true, cell: ({ tagId }) => rateOf(rowOf(tagId)) },
              {
                name: 'trend',
                label: columns.trend,
                cell: ({ tagId }) => <Sparkline values={trendOf(stats.data, rowOf(tagId))} />,
              },
            ]}
            rows={me.tags}
            keyOf={({ tagId }) => tagId}
          />
        )}
      </div>
    </>
  )
}
