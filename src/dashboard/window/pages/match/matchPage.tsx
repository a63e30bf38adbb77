import { CircleCheck, CircleMinus, TriangleAlert } from 'lucide'
import { useState } from 'preact/hooks'
import type { MatchChannel, MatchKeyShare, MatchQuality, VendorRating } from '#contract/matchQuality.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { matchWords as words } from '#dashboard/words/en/match.ts'
import { share } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useRead } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { type CardColumn, Cards } from '../../parts/cards.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemLine, Skeleton, View } from '../../parts/view.tsx'

const { vendor: vendorWords } = words

/** The vendor's rating for each of its event names. */
function Rated({ name, vendor }: { name: string; vendor: VendorRating }) {
  const { events = [], of } = vendor
  if (vendor.error) return <p class="fieldIssue padded">{vendorWords.errors[vendor.error]}</p>
  if (events.length === 0) return <p class="soft padded">{vendorWords.noEvents}</p>
  return (
    <Cards
      label={vendorWords.title(name)}
      columns={[
        { name: 'event', label: vendorWords.columns.event, cell: ({ eventName }) => <bdi>{eventName}</bdi> },
        {
          name: 'score',
          label: vendorWords.columns.score,
          isNumber: true,
          cell: ({ score }) => (score === undefined ? '–' : vendorWords.score(score, of)),
        },
        {
          name: 'coverage',
          label: vendorWords.columns.coverage,
          isNumber: true,
          cell: ({ coverage }) => share(coverage),
        },
      ]}
      rows={events}
      keyOf={({ eventName }) => eventName}
    />
  )
}

/** The vendor's own rating beside ours: the cached one, or one requested from the vendor now. */
function VendorFigure({ tagId, of: { scriptId, name, vendor } }: { tagId: string; of: MatchChannel }) {
  const action = useAction()
  const [answer, setAnswer] = useState<VendorRating>()
  const ask = async () => {
    const found = await action.run((api) => api.readMatchQuality({ tagId, scriptId, vendor: 'ask' }))
    if (found) setAnswer(found.channels[0]?.vendor)
  }
  const shown = answer ?? vendor!
  const canAsk = shown.at === undefined || shown.error !== undefined
  return (
    <div>
      <div class="padded">
        <b>{shown.name}</b>{' '}
        <span class="soft">
          {shown.at === undefined ? (
            vendorWords.notAsked
          ) : (
            <>
              {vendorWords.asked} <Time at={shown.at} />
            </>
          )}
        </span>{' '}
        {canAsk && (
          <Button isSmall isBusy={action.isBusy} onClick={() => void ask()}>
            {vendorWords.ask}
          </Button>
        )}
        <ProblemLine error={action.error} />
      </div>
      {shown.at !== undefined && <Rated name={name} vendor={shown} />}
    </div>
  )
}

const marks = {
  good: { icon: CircleCheck, tone: 'good' },
  fair: { icon: CircleMinus, tone: 'wait' },
  poor: { icon: TriangleAlert, tone: 'bad' },
} as const

const { columns } = words
const cells: CardColumn<MatchKeyShare>[] = [
  { name: 'key', label: columns.key, cell: ({ vendorKey }) => <code>{vendorKey}</code> },
  { name: 'strength', label: columns.strength, cell: ({ strength }) => words.strength[strength] },
  { name: 'share', label: columns.share, isNumber: true, cell: (row) => share(row.share) },
  ...(['browser', 'server'] as const).map((source) => ({
    name: source,
    label: words.source(source),
    isNumber: true,
    cell: ({ shareBySource }: MatchKeyShare) => share(shareBySource[source]),
  })),
  {
    name: 'faulty',
    label: columns.faulty,
    isNumber: true,
    cell: ({ faulty }) => <span class={faulty > 0 ? 'fieldIssue' : 'soft'}>{share(faulty)}</span>,
  },
]

function Findings({ tagId, of: { name, findings } }: { tagId: string; of: MatchChannel }) {
  const address = useAddress()
  if (findings.length === 0) return <p class="soft padded">{words.noFindings}</p>
  return (
    <ul class="stack tight padded matchFindings" aria-label={words.findings(name)}>
      {findings.map(({ code, share, example }) => (
        <li key={code}>
          <Mark {...marks.poor}>{words.ofEvents(share)}</Mark>
          <span>
            <code>{code}</code> {words.finding(code)}{' '}
            {example && <a href={address('event', { tagId, eventId: example.eventId })}>{words.example}</a>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** One channel: its coverage, what lowers it, and the share of each key. */
function MatchChannelPanel({ tagId, of }: { tagId: string; of: MatchChannel }) {
  const { name, events, eventsBySource, withStrongKey, coverage, keys } = of
  if (events === 0)
    return (
      <Panel title={name}>
        <p class="soft">{words.noEvents}</p>
      </Panel>
    )
  return (
    <Panel
      title={name}
      isFlush
      note={
        <>
          {words.summary(withStrongKey, events)} ({words.sources(eventsBySource.browser, eventsBySource.server)}).{' '}
          {words.own}
        </>
      }
      actions={coverage && <Mark {...marks[coverage]}>{words.coverage(coverage)}</Mark>}
    >
      <Findings tagId={tagId} of={of} />
      {of.vendor && <VendorFigure tagId={tagId} of={of} />}
      <Cards label={words.keys(name)} columns={cells} rows={keys} keyOf={({ vendorKey }) => vendorKey} />
    </Panel>
  )
}

/** The names of delivered events, most frequent first. */
function eventNamesOf({ channels }: MatchQuality): string[] {
  const sums = new Map<string, number>()
  for (const { byEvent } of channels)
    for (const { eventName, events } of byEvent) sums.set(eventName, (sums.get(eventName) ?? 0) + events)
  return [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

function EventChoice({ names }: { names: readonly string[] }) {
  const [query, setQuery] = useQueryState()
  const { name = '' } = query
  const all = name && !names.includes(name) ? [...names, name] : names
  return (
    <label class="rangePicker">
      <span class="hidden">{frameWords.title.event}</span>
      <select value={name} onChange={(event) => setQuery({ ...query, name: event.currentTarget.value || undefined })}>
        <option value="">{words.allEvents}</option>
        {all.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

function MatchPage({ tagId }: { tagId: string }) {
  const [{ name }] = useQueryState()
  const { key, times } = useRange('7d')
  const all = useRead(['match', tagId, key], (api) => api.readMatchQuality({ tagId, ...times() }), {
    staysWhile: tagId,
  })
  const ofName = useRead(
    ['match', tagId, key, name],
    (api) => api.readMatchQuality({ tagId, ...times(), ...(name && { eventName: name }) }),
    { isEnabled: name !== undefined },
  )
  return (
    <>
      <PageHead
        title={frameWords.title.match}
        below={words.intro}
        actions={
          <>
            <EventChoice names={all.data ? eventNamesOf(all.data) : []} />
            <RangePicker fallback="7d" />
          </>
        }
      />
      <View of={name ? ofName : all} skeleton={<Skeleton rows={8} />}>
        {({ channels }) =>
          channels.length === 0 ? (
            <div class="panel">
              <Empty title={words.noChannelsTitle}>{words.noChannels}</Empty>
            </div>
          ) : (
            channels.map((channel) => <MatchChannelPanel key={channel.scriptId} tagId={tagId} of={channel} />)
          )
        }
      </View>
    </>
  )
}

/** How well the vendors of a tag can match the people in its events. */
export default tagPage(MatchPage)
