import { CircleCheck, CircleStop, Clock, LoaderCircle } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { Replay } from '#contract/replay.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { replayWords } from '#dashboard/words/en/replay.ts'
import { replayPageWords as words } from '#dashboard/words/en/replayPages.ts'
import { useActorName } from '../../data/actors.ts'
import { callsOf, keyOf, useAddress, useHere, useMay } from '../../data/here.tsx'
import { type PagedReading, usePaged } from '../../data/query.ts'
import { OfTag } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/view.tsx'
import { ReplayForm } from './replayForm.tsx'

const looks: Record<Replay['state'], { icon: typeof Clock; tone: Tone }> = {
  dryRun: { icon: Clock, tone: 'none' },
  queued: { icon: Clock, tone: 'wait' },
  running: { icon: LoaderCircle, tone: 'wait' },
  sending: { icon: LoaderCircle, tone: 'wait' },
  done: { icon: CircleCheck, tone: 'good' },
  stopping: { icon: CircleStop, tone: 'wait' },
  stopped: { icon: CircleStop, tone: 'none' },
}

/** The state of a replay: word, icon and colour. */
export const ReplayState = ({ of }: { of: Replay['state'] }) => <Mark {...looks[of]}>{words.state(of)}</Mark>

const { columns } = words
const list = [
  { name: 'when', label: columns.when },
  { name: 'state', label: columns.state },
  { name: 'what', label: columns.what },
  { name: 'sent', label: replayWords.wouldSend, isNumber: true },
  { name: 'who', label: columns.who },
]

function Past({ tagId, past }: { tagId: string; past: PagedReading<Replay> }) {
  const address = useAddress()
  const nameOf = useActorName()
  const { may } = useMay('replay:write')
  if (past.isLoading) return <Skeleton rows={3} />
  if (past.error) return <ProblemNote error={past.error} onRetry={past.reload} />
  if (past.rows.length === 0) return <Empty title={words.noneTitle}>{may ? words.none : words.noneViewer}</Empty>
  return (
    <>
      <Cards<Replay>
        label={words.past}
        columns={list}
        rows={past.rows}
        keyOf={({ replayId, at }) => replayId ?? `${at}`}
        cells={({ replayId, at, state, statuses, eventNames, replayed, matched, by }) => [
          <a key="when" href={address('replay', { tagId, replayId: replayId! })}>
            <Time at={at} />
          </a>,
          <ReplayState key="state" of={state} />,
          words.what(
            statuses.map((status) => replayWords.status[status]),
            eventNames,
          ),
          words.sent(replayed, matched),
          <bdi key="who">{nameOf(by)}</bdi>,
        ]}
      />
      {past.hasMore && (
        <p class="listFoot">
          <Button isBusy={past.isLoadingMore} onClick={past.loadMore}>
            {manageWords.more}
          </Button>
        </p>
      )}
    </>
  )
}

function Replays({ tagId }: { tagId: string }) {
  const here = useHere()
  const { may } = useMay('replay:write')
  const past = usePaged<Awaited<ReturnType<Client['listReplays']>>, Replay>({
    queryKey: keyOf(here, ['replays', tagId]),
    read: (cursor, signal) => callsOf(here, signal).listReplays({ tagId, limit: 50, ...(cursor && { cursor }) }),
    rowsOf: ({ replays }) => replays,
    nextOf: ({ next }) => next,
  })
  return (
    <>
      <PageHead title={frameWords.title('replays')} />
      {may && <ReplayForm tagId={tagId} />}
      <Panel title={words.past} isFlush>
        <Past tagId={tagId} past={past} />
      </Panel>
    </>
  )
}

/** What was sent again, and a form to send more. */
export default function ReplaysPage() {
  return <OfTag>{({ tagId }) => <Replays key={tagId} tagId={tagId} />}</OfTag>
}
