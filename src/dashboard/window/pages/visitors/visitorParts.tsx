import type { ComponentChildren } from 'preact'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { UserRecord } from '#contract/userRecord.ts'
import { type ConsentChange, consentHistory } from '#dashboard/list/consentHistory.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { visitorWords as words } from '#dashboard/words/en/visitors.ts'
import { count } from '#dashboard/words/format.ts'
import { useAddress, useHere, useRead } from '../../data/here.tsx'
import { Answers } from '../../parts/answers.tsx'
import { Facts } from '../../parts/code.tsx'
import { RowsPanel } from '../../parts/pages.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { Proof } from '../events/whySent.tsx'

type EventOfUser = UserRecord['events'][number]

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const factsOf = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([name, value]) => [name, <bdi key={name}>{textOf(value)}</bdi>] as const)

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <h3>{title}</h3>
    {children}
  </>
)

/** The identity, custom data, click ids and location of a visitor. */
export function Known({ of: { keys = {}, custom = {}, captured = {}, place, session, seenAt } }: { of: UserRecord }) {
  const has = (values: object) => Object.keys(values).length > 0
  const isEmpty = !has(keys) && !has(custom) && !has(captured) && !place && seenAt === undefined
  return (
    <Panel title={words.known}>
      {isEmpty && <p class="soft">{words.nothing}</p>}
      <Facts
        of={[
          seenAt !== undefined && [words.seen, <Time key="seen" at={seenAt} format="ago" />],
          place && [words.place, [place.country, place.region].filter(Boolean).join(', ')],
          session && [words.session, <code key="session">{session.sessionId}</code>],
        ]}
      />
      {has(keys) && (
        <Part title={words.keys}>
          <Facts of={factsOf(keys)} />
        </Part>
      )}
      {has(custom) && (
        <Part title={words.custom}>
          <Facts of={factsOf(custom)} />
        </Part>
      )}
      {has(captured) && (
        <Part title={words.captured}>
          <Facts
            of={Object.entries(captured).map(([name, { value, at }]) => [
              name,
              <span key={name}>
                <bdi>{value}</bdi>{' '}
                <small class="soft">
                  {words.capturedSince} <Time at={at} />
                </small>
              </span>,
            ])}
          />
        </Part>
      )}
    </Panel>
  )
}

function Changes({ tagId, changes }: { tagId: string; changes: readonly ConsentChange[] }) {
  const address = useAddress()
  return (
    <ol class="stack" aria-label={words.history}>
      {changes.map(({ at, eventId, eventName, answers }) => (
        <li key={eventId}>
          <Time at={at} />{' '}
          <a href={address('event', { tagId, eventId })}>
            <bdi>{eventName}</bdi>
          </a>
          <Answers of={answers} />
        </li>
      ))}
    </ol>
  )
}

/** Older changes are collapsed. */
const mostShown = 3

/** Each consent of the loaded events, and the first event that carried it. */
function History({ tagId, events }: { tagId: string; events: readonly EventOfUser[] }) {
  const changes = consentHistory(events)
  if (changes.length === 0) return null
  const older = changes.slice(mostShown)
  return (
    <Part title={words.history}>
      <Changes tagId={tagId} changes={changes.slice(0, mostShown)} />
      {older.length > 0 && (
        <details>
          <summary>{words.older(older.length)}</summary>
          <Changes tagId={tagId} changes={older} />
        </details>
      )}
    </Part>
  )
}

type ConsentProps = { of: UserRecord; tagId: string; events: readonly EventOfUser[] }

/** The visitor's current consent, since when, and earlier ones. */
export function Consent({ of: { consent }, tagId, events }: ConsentProps) {
  return (
    <Panel
      title={frameWords.title.consent}
      note={
        consent && (
          <>
            {words.consentGiven} <Time at={consent.at} />
          </>
        )
      }
    >
      {!consent && <p class="soft">{words.noConsent}</p>}
      {consent?.consentCategories && (
        <Part title={words.categories}>
          <Answers of={consent.consentCategories} />
        </Part>
      )}
      {consent?.consent && (
        <Part title={words.purposes}>
          <Answers of={consent.consent} />
        </Part>
      )}
      {consent?.proof && <Proof of={consent.proof} />}
      <History tagId={tagId} events={events} />
      <p class="hint">{words.historyHint}</p>
    </Panel>
  )
}

/** The deliveries of the events by status, which the visitor's record does not have. */
function useCounts(tagId: string, userId: string): ReadonlyMap<string, EventOfUser['counts']> {
  const { me } = useHere()
  const { data } = useRead(['events', tagId, 'of', userId], (api) => api.listEvents({ tagId, userId, limit: 200 }), {
    isEnabled: me.scopes.includes('event:read'),
  })
  return new Map(data?.events.map(({ eventId, counts }) => [eventId, counts]))
}

type EventsOfProps = { tagId: string; userId: string; events: readonly EventOfUser[]; more: ComponentChildren }

/** The stored events, newest first. */
export function EventsOf({ tagId, userId, events, more }: EventsOfProps) {
  const address = useAddress()
  const known = useCounts(tagId, userId)
  const eventCell = ({ eventId, eventName }: EventOfUser) => (
    <>
      {eventId === undefined ? (
        eventName
      ) : (
        <a href={address('event', { tagId, eventId })}>
          <bdi>{eventName}</bdi>
        </a>
      )}
      <small class="soft">
        <bdi>{eventId}</bdi>
      </small>
    </>
  )
  const resultCell = ({ eventId, counts = known.get(eventId) ?? {} }: EventOfUser) => (
    <span class="line">
      {(Object.entries(counts) as [DeliveryStatus, number][]).map(([status, n]) => (
        <Status key={status} of={status} text={`${count(n)} ${statusWords.status(status)}`} />
      ))}
    </span>
  )
  return (
    <RowsPanel
      title={frameWords.title.events}
      none={<Empty title={words.noEvents} />}
      columns={[
        { name: 'event', label: eventWords.columns.event, cell: eventCell },
        { name: 'time', label: eventWords.columns.time, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
        { name: 'result', label: eventWords.columns.status, cell: resultCell },
      ]}
      rows={events}
      keyOf={(row) => `${events.indexOf(row)}`}
      foot={more && <p class="hint number listFoot">{more}</p>}
    />
  )
}
