import { CircleCheck, CircleStop, Clock, LoaderCircle } from 'lucide'
import type { Replay } from '#contract/replay.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { replayWords } from '#dashboard/words/en/replay.ts'
import { replayPageWords as words } from '#dashboard/words/en/replayPages.ts'
import { useActorName } from '../../data/actors.ts'
import { useAddress, useList, useMay } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Paged, tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
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

function Past({ tagId, rows }: { tagId: string; rows: readonly Replay[] }) {
  const address = useAddress()
  const nameOf = useActorName()
  const whatOf = ({ statuses, eventNames }: Replay) =>
    words.what(
      statuses.map((status) => replayWords.status[status]),
      eventNames,
    )
  return (
    <Cards
      label={words.past}
      columns={[
        {
          name: 'when',
          label: columns.when,
          cell: ({ replayId, at }) => (
            <a href={address('replay', { tagId, replayId: replayId! })}>
              <Time at={at} />
            </a>
          ),
        },
        { name: 'state', label: columns.state, cell: ({ state }) => <ReplayState of={state} /> },
        { name: 'what', label: columns.what, cell: whatOf },
        {
          name: 'sent',
          label: replayWords.wouldSend,
          isNumber: true,
          cell: ({ replayed, matched }) => words.sent(replayed, matched),
        },
        { name: 'who', label: columns.who, cell: ({ by }) => <bdi>{nameOf(by)}</bdi> },
      ]}
      rows={rows}
      keyOf={({ replayId, at }) => replayId ?? `${at}`}
    />
  )
}

function Replays({ tagId }: { tagId: string }) {
  const { may } = useMay('replay:write')
  const past = useList(
    ['replays', tagId],
    (api, at) => api.listReplays({ tagId, limit: 50, ...at }),
    ({ replays }) => replays,
  )
  const none = <Empty title={words.noneTitle}>{may ? words.none : words.noneViewer}</Empty>
  return (
    <>
      <PageHead title={frameWords.title('replays')} />
      {may && <ReplayForm tagId={tagId} />}
      <Panel title={words.past} isFlush>
        <Paged of={past} skeleton={3} none={none}>
          {(rows) => <Past tagId={tagId} rows={rows} />}
        </Paged>
      </Panel>
    </>
  )
}

/** What was sent again, and a form to send more. */
export default tagPage(Replays)
