import { CircleStop, RotateCw } from 'lucide'
import { useState } from 'preact/hooks'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Replay } from '#contract/replay.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { replayWords } from '#dashboard/words/en/replay.ts'
import { replayPageWords as words } from '#dashboard/words/en/replayPages.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, list, moment } from '#dashboard/words/format.ts'
import { useActorName } from '../../data/actors.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { zone } from '../../data/signal.ts'
import { useChannelName, useParam } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { RowsPanel, tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { doneOf, isOver, partsOf } from '../../parts/replayDialog.tsx'
import { Time } from '../../parts/time.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { ReplayState } from './replaysPage.tsx'

function Progress({ of }: { of: Replay }) {
  const most = Math.max(of.replayed, 1)
  return (
    <Panel title={words.progress}>
      <p class="line" role="status">
        <ReplayState of={of.state} /> <span class="number">{replayWords.progress(doneOf(of), of.replayed)}</span>
      </p>
      <progress max={most} value={isOver(of) ? most : doneOf(of)} aria-label={words.progress} />
      {!of.isWhole && !isOver(of) && <p class="hint">{words.reading(of.matched)}</p>}
    </Panel>
  )
}

const { byChannel } = words
function Outcome({ tagId, replay }: { tagId: string; replay: Replay }) {
  const nameOf = useChannelName(tagId)
  const reasonOf = (reason: DeliveryReason) => statusWords.reason(reason)
  const statusOf = (status: DeliveryStatus) => statusWords.status(status)
  return (
    <RowsPanel
      title={words.outcome}
      columns={[
        { name: 'channel', label: byChannel.channel, cell: ({ scriptId }) => <bdi>{nameOf(scriptId)}</bdi> },
        { name: 'matched', label: byChannel.matched, isNumber: true, cell: ({ matched }) => count(matched) },
        { name: 'replayed', label: byChannel.replayed, isNumber: true, cell: ({ replayed }) => count(replayed) },
        { name: 'left', label: byChannel.left, cell: ({ left }) => partsOf(left, reasonOf).join(', ') },
        { name: 'now', label: byChannel.now, cell: ({ now }) => partsOf(now, statusOf).join(', ') },
      ]}
      rows={replay.scripts}
      keyOf={({ scriptId }) => scriptId}
    />
  )
}

function Stop({ tagId, replayId }: { tagId: string; replayId: string }) {
  const { why } = useMay('replay:write')
  return (
    <ConfirmButton
      button={{ icon: CircleStop, why }}
      title={words.stopTitle}
      label={replayWords.stop}
      changes={['replay', 'replays']}
      call={(api) => api.stopReplay({ tagId, replayId })}
      text={words.stopText}
    />
  )
}

function FilterFacts({ of: { from, to, statuses, eventNames, by, endedAt } }: { of: Replay }) {
  const nameOf = useActorName()
  const time = (at: number | undefined) => (at === undefined ? words.all : moment(at, zone.value.value))
  return (
    <Facts
      of={[
        [words.facts.by, <bdi key="by">{nameOf(by)}</bdi>],
        [words.facts.range, `${time(from)} – ${time(to)}`],
        [words.facts.statuses, list(statuses.map((status) => replayWords.status[status]))],
        eventNames && [words.facts.names, list(eventNames)],
        endedAt !== undefined && [words.facts.ended, <Time key="ended" at={endedAt} />],
      ]}
    />
  )
}

function OneReplay({ tagId }: { tagId: string }) {
  const replayId = useParam('replayId')
  const address = useAddress()
  const { why } = useMay('replay:write')
  const [everyMs, setEvery] = useState<number | undefined>(1_500)
  const reading = useRead(['replay', tagId, replayId], (api) => api.readReplay({ tagId, replayId }), {
    ...(everyMs !== undefined && { everyMs }),
  })
  if (reading.data && isOver(reading.data) && everyMs !== undefined) setEvery(undefined)
  return (
    <View of={reading} skeleton={<Skeleton rows={6} />}>
      {(replay) => {
        const { from, to, statuses, eventNames, scriptIds } = replay
        const again = address(
          'replays',
          { tagId },
          {
            from: from === undefined ? undefined : `${from}`,
            to: to === undefined ? undefined : `${to}`,
            status: statuses.join(','),
            name: eventNames?.join(','),
            channel: scriptIds?.join(','),
          },
        )
        return (
          <>
            <PageHead
              above={<a href={address('replays', { tagId })}>{frameWords.title.replays}</a>}
              title={words.title(moment(replay.at, zone.value.value))}
              actions={
                <>
                  {!isOver(replay) && <Stop tagId={tagId} replayId={replayId} />}
                  <LinkButton href={again} icon={RotateCw} why={why}>
                    {words.again}
                  </LinkButton>
                </>
              }
            />
            <FilterFacts of={replay} />
            <Progress of={replay} />
            <Outcome tagId={tagId} replay={replay} />
          </>
        )
      }}
    </View>
  )
}

/** One replay: its filter, progress and outcome. */
export default tagPage(OneReplay)
