import { CircleCheck, CircleMinus, TriangleAlert } from 'lucide'
import type { MatchChannel, MatchKeyShare } from '#contract/matchQuality.ts'
import { matchWords as words } from '#dashboard/words/en/match.ts'
import { useAddress } from '../../data/here.tsx'
import { type CardColumn, Cards } from '../../parts/cards.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { VendorFigure } from './vendorFigure.tsx'

const looks = {
  good: { icon: CircleCheck, tone: 'good' },
  fair: { icon: CircleMinus, tone: 'wait' },
  poor: { icon: TriangleAlert, tone: 'bad' },
} as const

const { columns } = words
const cells: CardColumn<MatchKeyShare>[] = [
  { name: 'key', label: columns.key, cell: ({ vendorKey }) => <code>{vendorKey}</code> },
  { name: 'strength', label: columns.strength, cell: ({ strength }) => words.strength(strength) },
  { name: 'share', label: columns.share, isNumber: true, cell: ({ share }) => words.share(share) },
  ...(['browser', 'server'] as const).map((source) => ({
    name: source,
    label: words.source(source),
    isNumber: true,
    cell: ({ shareBySource }: MatchKeyShare) => words.share(shareBySource[source]),
  })),
  {
    name: 'faulty',
    label: columns.faulty,
    isNumber: true,
    cell: ({ faulty }) => <span class={faulty > 0 ? 'fieldIssue' : 'soft'}>{words.share(faulty)}</span>,
  },
]

function Findings({ tagId, of: { name, findings } }: { tagId: string; of: MatchChannel }) {
  const address = useAddress()
  if (findings.length === 0) return <p class="soft padded">{words.noFindings}</p>
  return (
    <ul class="stack tight padded matchFindings" aria-label={words.findings(name)}>
      {findings.map(({ code, share, example }) => (
        <li key={code}>
          <Mark {...looks.poor}>{words.ofEvents(share)}</Mark>
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
export function MatchChannelPanel({ tagId, of }: { tagId: string; of: MatchChannel }) {
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
      actions={coverage && <Mark {...looks[coverage]}>{words.coverage(coverage)}</Mark>}
    >
      <Findings tagId={tagId} of={of} />
      {of.vendor && <VendorFigure tagId={tagId} of={of} />}
      <Cards label={words.keys(name)} columns={cells} rows={keys} keyOf={({ vendorKey }) => vendorKey} />
    </Panel>
  )
}
