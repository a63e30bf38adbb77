import { ChevronLeft, ChevronRight, SearchX, UserX } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { EventList, EventRow, Journey } from '#contract/journey.ts'
import type { Static } from '#contract/schema.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { keyOf, useAddress, useEventAddress, useHere, useRead } from '../../data/here.tsx'
import { useKeys } from '../../data/keys.ts'
import { queries } from '../../data/query.ts'
import { useParam, useQueryState } from '../../data/tag.tsx'
import { Button, CopyButton, LinkButton } from '../../parts/button.tsx'
import { Code, Facts, Id } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tabs } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Note, Skeleton, View } from '../../parts/view.tsx'
import { DeliveryList } from './deliveryList.tsx'
import { Exchanges } from './exchanges.tsx'
import { Timeline } from './timeline.tsx'
import { TryToday } from './tryToday.tsx'
import { WhySent } from './whySent.tsx'

/** The previous and next event in the list that the person came from. */
function useNeighbours(tagId: string, eventId: string): { previous: EventRow | undefined; next: EventRow | undefined } {
  const here = useHere()
  const lists = queries.getQueriesData<{ pages: Static<typeof EventList>[] }>({
    queryKey: keyOf(here, ['events', tagId]),
  })
  for (const [, data] of lists) {
    const rows = data?.pages.flatMap(({ events }) => events) ?? []
    const at = rows.findIndex((row) => row.eventId === eventId)
    if (at >= 0) return { previous: rows[at - 1], next: rows[at + 1] }
  }
  return { previous: undefined, next: undefined }
}

function Neighbours({ tagId, eventId }: { tagId: string; eventId: string }) {
  const { previous, next } = useNeighbours(tagId, eventId)
  const address = useEventAddress(tagId)
  const { route } = useLocation()
  const go = (row: EventRow | undefined) => row && route(address(row))
  useKeys({ '[': () => go(previous), ']': () => go(next) })
  if (!previous && !next) return null
  return (
    <>
      <Button icon={ChevronLeft} label={words.previous} isDisabled={!previous} onClick={() => go(previous)} />
      <Button icon={ChevronRight} label={words.next} isDisabled={!next} onClick={() => go(next)} />
    </>
  )
}

/** The event as it was received, and after the plugins. */
function Payload({ journey }: { journey: Journey }) {
  const [which, setWhich] = useState<'received' | 'sent'>('received')
  const { received, afterPlugins = [], redacted, isErased } = journey
  if (!received || isErased)
    return (
      <Panel title={frameWords.title.event}>
        <p class="soft">{isErased ? words.payloadErased : redacted ? words.redacted : words.payloadGone}</p>
      </Panel>
    )
  const sent = afterPlugins.filter(({ event }) => event).at(-1)?.event ?? received
  return (
    <Panel
      title={frameWords.title.event}
      actions={
        <Tabs
          label={frameWords.title.event}
          of={{ received: words.asReceived, sent: words.asSent }}
          value={which}
          onChange={setWhich}
        />
      }
    >
      <Code
        text={JSON.stringify(which === 'received' ? received : sent, null, 2)}
        label={frameWords.title.event}
        isTall
      />
    </Panel>
  )
}

function Summary({ journey }: { journey: Journey }) {
  const { receivedAt, userId, caller, deployment, repeats, unusedKeys = [] } = journey
  const unused = unusedKeys.map(({ key, reason }) => words.unusedKey(key, reason))
  const warnings = [...(journey.warnings ?? []), ...unused]
  return (
    <>
      {journey.isErased && (
        <p class="row notice">
          <Icon of={UserX} />
          <span>{words.erasedEvent}</span>
        </p>
      )}
      <Facts
        of={[
          [words.columns.time, <Time key="at" at={receivedAt} />],
          [words.columns.visitor, <Id key="visitor" of={userId} />],
          caller && [words.caller, words.callers[caller]],
          deployment !== undefined && [frameWords.title.deployment, `${deployment}`],
          Boolean(repeats) && [words.repeats, `${repeats}`],
        ]}
      />
      {warnings.length > 0 && (
        <ul class="warnings" aria-label={words.warnings(warnings.length)}>
          {warnings.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  )
}

/** A link to the event that the other kind of caller sent with the same id. */
function SameId({ tagId, journey: { eventId, caller } }: { tagId: string; journey: Journey }) {
  const address = useAddress()
  const other = caller === 'untrusted' ? 'trusted' : 'untrusted'
  return (
    <p class="hint">
      {words.sameId} <a href={address('event', { tagId, eventId }, { caller: other })}>{words.showOther}</a>
    </p>
  )
}

function Whole({ tagId, journey }: { tagId: string; journey: Journey }) {
  const [query, setQuery] = useQueryState()
  const address = useAddress()
  const { eventId, eventName, deliveries, sameId } = journey
  const chosen =
    deliveries.find(({ deliveryId }) => deliveryId === query.delivery) ??
    deliveries.find(({ attempts }) => attempts.length > 0) ??
    deliveries[0]
  return (
    <>
      <PageHead
        above={<a href={address('events', { tagId })}>{frameWords.title.events}</a>}
        title={eventName}
        below={
          <>
            <Id of={eventId} />
            <CopyButton text={eventId} label={words.copyId} />
          </>
        }
        actions={
          <>
            <Neighbours tagId={tagId} eventId={eventId} />
            {!journey.isErased && <TryToday key={eventId} tagId={tagId} journey={journey} />}
          </>
        }
      />
      <Summary journey={journey} />
      {sameId && <SameId tagId={tagId} journey={journey} />}
      <div class="columns eventColumns">
        <div class="stack">
          <Panel title={words.journey}>
            <Timeline journey={journey} />
          </Panel>
          <Panel title={frameWords.title.channels} isFlush>
            <DeliveryList
              tagId={tagId}
              journey={journey}
              chosen={chosen?.deliveryId}
              onChoose={(delivery) => setQuery({ ...query, delivery })}
            />
          </Panel>
          <WhySent tagId={tagId} journey={journey} />
        </div>
        <div class="stack">
          {chosen && <Exchanges key={chosen.deliveryId} tagId={tagId} journey={journey} delivery={chosen} />}
          <Payload journey={journey} />
        </div>
      </div>
    </>
  )
}

/** The page refreshes at this interval while a delivery is waiting. */
const followMs = 2_000

function Event({ tagId }: { tagId: string }) {
  const eventId = useParam('eventId')
  const [query] = useQueryState()
  const caller = query.caller === 'trusted' || query.caller === 'untrusted' ? query.caller : undefined
  const name = ['event', tagId, eventId, caller]
  const here = useHere()
  const before = queries.getQueryData<Journey>(keyOf(here, name))
  const isOpen = before?.deliveries.some(({ status }) => status === 'pending') ?? true
  const reading = useRead(
    name,
    (api) => api.readEvent({ tagId, eventId, ...(caller && { caller }) }),
    isOpen ? { everyMs: followMs } : { everyMs: 15_000 },
  )
  const address = useAddress()
  const list = <LinkButton href={address('events', { tagId })}>{frameWords.title.events}</LinkButton>
  const gone = (
    <Note icon={SearchX} title={words.eventUnknownTitle} isPage action={list}>
      <p>{words.eventUnknown}</p>
      <Id of={eventId} />
    </Note>
  )
  return (
    <View of={reading} skeleton={<Skeleton rows={10} />} gone={gone}>
      {(journey) => <Whole tagId={tagId} journey={journey} />}
    </View>
  )
}

/** One event: its way through the tag, and what each channel received. */
export default tagPage(Event)
