import { ArrowUp, Ban, CircleCheck, CirclePause, CircleX, type IconNode, Pause, Play, Radio, WifiOff } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LiveRefusal } from '#contract/intake.ts'
import type { LiveRun } from '#contract/webhookRun.ts'
import type { LiveState } from '#dashboard/api/liveStream.ts'
import { apiFilterOf, hasFilter, withoutFilters } from '#dashboard/list/filters.ts'
import { type LiveRow, passes } from '#dashboard/list/liveRows.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { liveWords as words } from '#dashboard/words/en/live.ts'
import { useAddress, useEventAddress } from '../../data/here.tsx'
import { useKeys } from '../../data/keys.ts'
import { useChannelName, useQueryState } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Facts, Id } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { Icon } from '../../parts/icon.tsx'
import { List } from '../../parts/list.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { NoMatch, Note } from '../../parts/view.tsx'
import { eventCells, eventColumns, eventTone } from '../events/eventCells.tsx'
import { AllowOrigin } from './allowOrigin.tsx'
import { useLive } from './useLive.ts'

const stateMarks: Record<LiveState, { icon: IconNode; tone: Tone }> = {
  connecting: { icon: Radio, tone: 'none' },
  open: { icon: Radio, tone: 'good' },
  waiting: { icon: WifiOff, tone: 'wait' },
  closed: { icon: WifiOff, tone: 'none' },
}

/** Announces every 5 seconds what arrived since the last summary. */
function Announcer({ rows }: { rows: readonly LiveRow[] }) {
  const [text, setText] = useState('')
  const latest = useRef({ count: rows.length, rows })
  latest.current.rows = rows
  useEffect(() => {
    let seen = new Set(latest.current.rows.map(({ key }) => key))
    const timer = setInterval(() => {
      const fresh = latest.current.rows.filter(({ key }) => !seen.has(key))
      seen = new Set(latest.current.rows.map(({ key }) => key))
      const failed = fresh.filter(isBad).length
      if (fresh.length > 0) setText(words.summary(fresh.length, failed))
    }, 5_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p class="hidden" role="status">
      {text}
    </p>
  )
}

/** The same rule as for the channel's health. */
const isFailedRun = ({ status, error }: LiveRun) => status >= 500 || error !== undefined

const isBad = (row: LiveRow) =>
  row.kind === 'refusal' || (row.kind === 'run' ? isFailedRun(row.run) : eventTone(row.event) === 'bad')

/** The cells of a webhook call: its result, with the message and line of an error. */
function runCells({ status, error, runId, at, scriptId }: LiveRun, nameOf: (scriptId: string) => string) {
  const isFailed = status >= 500 || error !== undefined
  return [
    words.run,
    <span key="status" class="counts">
      <Mark icon={isFailed ? CircleX : CircleCheck} tone={isFailed ? 'bad' : 'good'}>
        {`HTTP ${status}`}
      </Mark>
      {error && (
        <span class="cut" title={error.message}>
          {words.runError(error.message, error.line)}
        </span>
      )}
    </span>,
    <Id key="id" of={runId} />,
    <bdi key="channel">{nameOf(scriptId)}</bdi>,
    <Time key="time" at={at} />,
  ]
}

const cellsOf = (tagId: string, nameOf: (scriptId: string) => string) => (row: LiveRow) => {
  if (row.kind === 'event') return eventCells(row.event)
  if (row.kind === 'run') return runCells(row.run, nameOf)
  const { code, origin, method, path, field, at } = row.refusal
  return [
    words.refused,
    <span key="code" class="inputRow refusal">
      <Mark icon={Ban} tone="bad">
        {words.refusalName(code)}
      </Mark>
      {code === 'ORIGIN_REFUSED' && origin && <AllowOrigin tagId={tagId} origin={origin} />}
    </span>,
    <span key="call">{field === undefined ? <code>{`${method} ${path}`}</code> : words.field(field)}</span>,
    <bdi key="origin" title={origin}>
      {origin ?? words.noOrigin}
    </bdi>,
    <Time key="time" at={at} />,
  ]
}

/** The details of a refused call, and how to fix it. */
function RefusalDialog({ refusal, onClose }: { refusal: LiveRefusal; onClose: () => void }) {
  const { code, method, path, origin, field, at } = refusal
  return (
    <Dialog title={words.refused} onClose={onClose} variant="narrow">
      <p>{field === undefined ? words.refusalText(code) : words.fieldText(field)}</p>
      <Facts
        of={[
          [words.facts.code, <code key="code">{code}</code>],
          field !== undefined && [words.facts.field, <code key="field">{field}</code>],
          [words.facts.call, <code key="call">{`${method} ${path}`}</code>],
          [words.facts.origin, origin ?? words.noOrigin],
          [words.facts.time, <Time key="time" at={at} />],
        ]}
      />
      <div class="row dialogActions">
        <a class="button quiet" href="/docs/errors" target="_blank" rel="noopener" hreflang="en">
          {words.errorsPage}
        </a>
        <Button variant="primary" onClick={onClose}>
          {frameWords.close}
        </Button>
      </div>
    </Dialog>
  )
}

/** The live list has its own column names, because its rows are of three kinds. */
const columns = eventColumns.map((column) => ({
  ...column,
  label: words.columns[column.name as keyof typeof words.columns],
}))

/** The rows: an event links to its page, a webhook call to its channel; a refusal opens a dialog. */
function LiveList({ tagId, rows }: { tagId: string; rows: readonly LiveRow[] }) {
  const address = useAddress()
  const eventAddress = useEventAddress(tagId)
  const nameOf = useChannelName(tagId)
  const [open, setOpen] = useState<LiveRefusal>()
  const hrefOf = (row: LiveRow) => {
    if (row.kind === 'run') return `${address('channel', { tagId, scriptId: row.run.scriptId })}#runs`
    return row.kind === 'refusal' ? undefined : eventAddress(row.event)
  }
  return (
    <>
      <List<LiveRow>
        label={frameWords.title.live}
        variant="live"
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        cells={cellsOf(tagId, nameOf)}
        hrefOf={hrefOf}
        onOpenOf={(row) => (row.kind === 'refusal' ? () => setOpen(row.refusal) : undefined)}
        toneOf={(row) => (isBad(row) ? 'bad' : undefined)}
      />
      {open && <RefusalDialog refusal={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Live({ tagId }: { tagId: string }) {
  const [query, setQuery] = useQueryState()
  const [isPaused, setPaused] = useState(false)
  const { rows, state, waiting, perSecond, showWaiting } = useLive(tagId, () => isPaused || scrollY > 120)
  const filter = apiFilterOf(query)
  const shown = rows.rows.filter((row) => passes(row, filter))
  const toggle = () => {
    if (isPaused) showWaiting()
    setPaused(!isPaused)
  }
  const goUp = () => {
    showWaiting()
    scrollTo({ top: 0 })
  }
  useKeys({ '.': toggle })
  const { icon, tone } = isPaused ? { icon: CirclePause, tone: 'wait' as const } : stateMarks[state]
  return (
    <>
      <PageHead
        title={frameWords.title.live}
        below={
          <>
            <Mark icon={icon} tone={tone}>
              {isPaused ? words.paused : words.states[state]}
            </Mark>
            <span class="number">{words.perSecond(perSecond)}</span>
          </>
        }
        actions={
          <Button icon={isPaused ? Play : Pause} isPressed={isPaused} onClick={toggle}>
            {isPaused ? words.resume : frameWords.pause}
          </Button>
        }
      />
      <FilterBar tagId={tagId} hasMore={false} />
      <Announcer rows={rows.rows} />
      {waiting > 0 && (
        <div class="newRows">
          <button type="button" class="button primary small" onClick={goUp}>
            <Icon of={ArrowUp} />
            <span>{words.newRows(waiting)}</span>
          </button>
        </div>
      )}
      <div class="panel flush">
        {shown.length > 0 ? (
          <LiveList tagId={tagId} rows={shown} />
        ) : hasFilter(query) ? (
          <NoMatch title={words.noMatch} onClear={() => setQuery(withoutFilters(query))} />
        ) : (
          <Note icon={Radio} title={words.emptyTitle}>
            {words.empty}
          </Note>
        )}
      </div>
    </>
  )
}

/** Events, deliveries and refusals as they happen; nothing is sampled. */
export default tagPage(Live)
