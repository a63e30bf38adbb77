import { Plus } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { Me } from '#contract/me.ts'
import type { TeamStats } from '#contract/stats.ts'
import { fillSteps } from '#dashboard/chart/series.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { count, rate } from '#dashboard/words/format.ts'
import { useAddress, useHere, useMay, useRead } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { Empty, ProblemNote } from '../../parts/view.tsx'

const { columns } = words

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
