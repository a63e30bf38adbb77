import { ArrowUp, Ban, CirclePause, type IconNode, Pause, Play, Radio, WifiOff } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LiveState } from '#dashboard/api/liveStream.ts'
import { apiFilterOf, hasFilter, withoutFilters } from '#dashboard/list/filters.ts'
import { type LiveRow, passes } from '#dashboard/list/liveRows.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { liveWords as words } from '#dashboard/words/en/live.ts'
import { useAddress } from '../../data/here.tsx'
import { OfTag, useQueryState } from '../../data/tag.tsx'
import { useKeys } from '../../frame/keys.ts'
import { Button } from '../../parts/button.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { Icon } from '../../parts/icon.tsx'
import { List } from '../../parts/list.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { NoMatch, Note } from '../../parts/view.tsx'
import { eventCells, eventColumns, eventTone } from '../events/eventsPage.tsx'
import { AllowOrigin } from './allowOrigin.tsx'
import { useLive } from './useLive.ts'

const stateLooks: Record<LiveState, { icon: IconNode; tone: Tone }> = {
  connecting: { icon: Radio, tone: 'none' },
  open: { icon: Radio, tone: 'good' },
  waiting: { icon: WifiOff, tone: 'wait' },
  closed: { icon: WifiOff, tone: 'none' },
}

/** What came since the last summary, told every 5 seconds. */
function Announcer({ rows }: { rows: readonly LiveRow[] }) {
  const [text, setText] = useState('')
  const told = useRef({ count: rows.length, rows })
  told.current.rows = rows
  useEffect(() => {
    let seen = new Set(told.current.rows.map(({ key }) => key))
    const timer = setInterval(() => {
      const fresh = told.current.rows.filter(({ key }) => !seen.has(key))
      seen = new Set(told.current.rows.map(({ key }) => key))
      const failed = fresh.filter((row) => row.kind === 'refusal' || eventTone(row.event) === 'bad').length
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

const cellsOf = (tagId: string) => (row: LiveRow) => {
  if (row.kind === 'event') return eventCells(row.event)
  const { code, origin, path, at } = row.refusal
  return [
    words.refused,
    <span key="code" class="refusal">
      <Mark icon={Ban} tone="bad">
        {code}
      </Mark>
      {code === 'ORIGIN_REFUSED' && origin && <AllowOrigin tagId={tagId} origin={origin} />}
    </span>,
    <bdi key="origin">{origin ?? words.noOrigin}</bdi>,
    <code key="path">{path}</code>,
    <Time key="time" at={at} />,
  ]
}

/** The rows; an event has a link to its page, a refusal has none. */
function LiveList({ tagId, rows }: { tagId: string; rows: readonly LiveRow[] }) {
  const address = useAddress()
  return (
    <List<LiveRow>
      label={frameWords.title('live')}
      look="live"
      columns={eventColumns}
      rows={rows}
      keyOf={({ key }) => key}
      cells={cellsOf(tagId)}
      hrefOf={(row) =>
        row.kind === 'event'
          ? address(
              'event',
              { tagId, eventId: row.event.eventId },
              { caller: row.event.caller === 'untrusted' ? 'untrusted' : undefined },
            )
          : undefined
      }
      toneOf={(row) => (row.kind === 'refusal' ? 'bad' : eventTone(row.event))}
    />
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
  const { icon, tone } = isPaused ? { icon: CirclePause, tone: 'wait' as const } : stateLooks[state]
  return (
    <>
      <PageHead
        title={frameWords.title('live')}
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
            {isPaused ? words.resume : words.pause}
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
export default function LivePage() {
  return <OfTag>{({ tagId }) => <Live key={tagId} tagId={tagId} />}</OfTag>
}
