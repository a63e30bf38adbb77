import { CircleCheck, CirclePlay, CircleX, KeyRound, TriangleAlert } from 'lucide'
import type { Alert } from '#contract/alert.ts'
import type { Client } from '#contract/client.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { alertWords as words } from '#dashboard/words/en/govern.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { callsOf, keyOf, useAddress, useHere } from '../../data/here.tsx'
import { usePaged } from '../../data/query.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/view.tsx'

const looks = {
  paused: { icon: KeyRound, tone: 'bad' },
  resumed: { icon: CirclePlay, tone: 'good' },
  failing: { icon: TriangleAlert, tone: 'bad' },
  dead: { icon: CircleX, tone: 'bad' },
  recovered: { icon: CircleCheck, tone: 'good' },
} as const

/** The channel of an alert, by name; its id where it is gone. */
function ChannelLink({ tagId, scriptId }: Pick<Alert, 'tagId' | 'scriptId'>) {
  const address = useAddress()
  const nameOf = useChannelName(tagId)
  return (
    <a href={address('channel', { tagId, scriptId })}>
      <bdi>{nameOf(scriptId)}</bdi>
    </a>
  )
}

function Sendings({ of }: { of: Alert['sendings'] }) {
  if (of.length === 0) return <span class="soft">{words.noHooks}</span>
  return (
    <>
      {of.map(({ hookId, status, tries, message }) => (
        <span key={hookId} class={status === 'failed' ? 'fieldIssue' : undefined}>
          {words.sent[status]} ({words.tries(tries)}){message && `: ${message}`}{' '}
        </span>
      ))}
    </>
  )
}

const { columns } = words
const list = [
  { name: 'when', label: columns.when },
  { name: 'channel', label: columns.channel },
  { name: 'kind', label: columns.kind },
  { name: 'count', label: columns.count, isNumber: true },
  { name: 'sent', label: columns.sent },
]

/** What happened to the channels of the team. */
export default function AlertsPage() {
  const here = useHere()
  const alerts = usePaged<Awaited<ReturnType<Client['listAlerts']>>, Alert>({
    queryKey: keyOf(here, ['alerts']),
    read: (cursor, signal) => callsOf(here, signal).listAlerts({ limit: 100, ...(cursor && { cursor }) }),
    rowsOf: (page) => page.alerts,
    nextOf: ({ next }) => next,
  })
  const body = () => {
    if (alerts.isLoading) return <Skeleton rows={6} />
    if (alerts.error) return <ProblemNote error={alerts.error} onRetry={alerts.reload} />
    if (alerts.rows.length === 0) return <Empty title={words.noneTitle}>{words.none}</Empty>
    return (
      <Cards<Alert>
        label={frameWords.title('alerts')}
        columns={list}
        rows={alerts.rows}
        keyOf={({ alertId }) => alertId}
        cells={({ at, tagId, scriptId, kind, reason, count, sendings }) => [
          <Time key="at" at={at} />,
          <ChannelLink key="channel" tagId={tagId} scriptId={scriptId} />,
          <span key="kind" class="stateLine">
            <Mark {...looks[kind]}>{words.kind(kind)}</Mark>
            <span class="soft">{statusWords.reason(reason)}</span>
          </span>,
          words.count(count),
          <Sendings key="sent" of={sendings} />,
        ]}
      />
    )
  }
  return (
    <>
      <PageHead title={frameWords.title('alerts')} below={words.intro} />
      <div class="panel flush">
        <div class="panelBody">{body()}</div>
        {alerts.hasMore && (
          <p class="listFoot">
            <Button isBusy={alerts.isLoadingMore} onClick={alerts.loadMore}>
              {manageWords.more}
            </Button>
          </p>
        )}
      </div>
    </>
  )
}
