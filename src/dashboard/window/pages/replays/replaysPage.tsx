import { CircleCheck, CircleStop, Clock, LoaderCircle } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Replay, ReplayableStatus, ReplayWrite } from '#contract/replay.ts'
import { knownOf, timeOf } from '#dashboard/list/filters.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { replayWords } from '#dashboard/words/en/replay.ts'
import { replayPageWords as words } from '#dashboard/words/en/replayPages.ts'
import { useActorName } from '../../data/actors.ts'
import { keyOf, useAddress, useHere, useList, useMay } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { useQueryState, useScripts } from '../../data/tag.tsx'
import { Cards } from '../../parts/cards.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { Paged, tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import {
  Choose,
  Counted,
  type ReplayChoice,
  replayable,
  StartButton,
  useCreateReplay,
} from '../../parts/replayDialog.tsx'
import { Mark, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemLine } from '../../parts/view.tsx'

const dayMs = 86_400_000

/** What to send again: the range and statuses, and optionally event names and channels; empty means all. */
type Filter = ReplayChoice & { names: string; scriptIds: string[] }

const namesOf = (text: string) => [...new Set(text.split(/[,\n]/).map((name) => name.trim()))].filter(Boolean)

const bodyOf = ({ from, to, statuses, names, scriptIds }: Filter): ReplayWrite => ({
  from,
  to,
  status: statuses,
  ...(namesOf(names).length > 0 && { eventNames: namesOf(names) }),
  ...(scriptIds.length > 0 && { scriptIds }),
  ...(statuses.includes('delivered') && { force: true }),
})

function useFilter(): [Filter, (next: Filter) => void] {
  const [query] = useQueryState()
  return useState<Filter>(() => {
    const statuses = knownOf<ReplayableStatus>(query.status, replayable)
    return {
      from: timeOf(query.from) ?? Date.now() - dayMs,
      to: timeOf(query.to) ?? Date.now() + 60_000,
      statuses: statuses.length > 0 ? statuses : ['dead', 'refused'],
      names: query.name ?? '',
      scriptIds: query.channel?.split(',').filter(Boolean) ?? [],
    }
  })
}

function Channels({ tagId, filter, onChange }: { tagId: string; filter: Filter; onChange: (next: Filter) => void }) {
  const { data } = useScripts(tagId)
  const { scriptIds } = filter
  return (
    <fieldset>
      <legend>{frameWords.title.channels}</legend>
      <div class="checks inline">
        {(data?.scripts ?? []).map(({ scriptId, name }) => (
          <label key={scriptId}>
            <input
              type="checkbox"
              checked={scriptIds.includes(scriptId)}
              onChange={({ currentTarget: { checked } }) => {
                const others = scriptIds.filter((each) => each !== scriptId)
                onChange({ ...filter, scriptIds: checked ? [...others, scriptId] : others })
              }}
            />
            <bdi class="cut">{name}</bdi>
          </label>
        ))}
      </div>
      <p class="hint">{words.channelsHint}</p>
    </fieldset>
  )
}

/** Counts what a filter would send again, shows it by channel, and starts it. */
function ReplayForm({ tagId }: { tagId: string }) {
  const here = useHere()
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('replay:write')
  const [filter, setFilter] = useFilter()
  const creating = useCreateReplay(tagId, bodyOf(filter), (replayId) => {
    void queries.invalidateQueries({ queryKey: keyOf(here, ['replays']) })
    route(address('replay', { tagId, replayId }))
  })
  const { action, counted, run, forget } = creating
  const change = (next: Filter) => {
    setFilter(next)
    forget()
  }
  const canStart = counted !== undefined && counted.replayed > 0
  return (
    <Panel title={words.newTitle} note={replayWords.intro}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!why && filter.statuses.length > 0) void run(!canStart)
        }}
      >
        <Choose choice={filter} onChange={(choice) => change({ ...filter, ...choice })} />
        <TextField
          label={words.names}
          help={words.namesHint}
          isOptional
          value={filter.names}
          onChange={(names) => change({ ...filter, names })}
        />
        <Channels tagId={tagId} filter={filter} onChange={change} />
        {counted && <Counted tagId={tagId} replay={counted} />}
        <ProblemLine error={action.error} />
        <div class="row">
          <StartButton of={creating} hasStatus={filter.statuses.length > 0} why={why} />
        </div>
      </form>
    </Panel>
  )
}

const marks: Record<Replay['state'], { icon: typeof Clock; tone: Tone }> = {
  dryRun: { icon: Clock, tone: 'none' },
  queued: { icon: Clock, tone: 'wait' },
  running: { icon: LoaderCircle, tone: 'wait' },
  sending: { icon: LoaderCircle, tone: 'wait' },
  done: { icon: CircleCheck, tone: 'good' },
  stopping: { icon: CircleStop, tone: 'wait' },
  stopped: { icon: CircleStop, tone: 'none' },
}

/** The state of a replay: word, icon and colour. */
export const ReplayState = ({ of }: { of: Replay['state'] }) => <Mark {...marks[of]}>{replayWords.state[of]}</Mark>

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
      label={frameWords.title.replays}
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
          cell: ({ replayed, matched }) => replayWords.progress(replayed, matched),
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
      <PageHead title={frameWords.title.replays} />
      {may && <ReplayForm tagId={tagId} />}
      <Panel title={frameWords.title.replays} isFlush>
        <Paged of={past} skeleton={3} none={none}>
          {(rows) => <Past tagId={tagId} rows={rows} />}
        </Paged>
      </Panel>
    </>
  )
}

/** Past replays, and a form for a new one. */
export default tagPage(Replays)
