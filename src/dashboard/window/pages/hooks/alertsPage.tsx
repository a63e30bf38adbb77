import { CircleCheck, CirclePlay, CircleX, KeyRound, TriangleAlert } from 'lucide'
import type { Alert } from '#contract/alert.ts'
import { incidentWords } from '#dashboard/words/en/alertRules.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { alertWords as words } from '#dashboard/words/en/govern.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useAddress, useList, useMay } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { type CardColumn, Cards } from '../../parts/cards.tsx'
import { Paged } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { AlertRules } from './alertRules.tsx'
import { ContactPoints } from './contactPoints.tsx'
import { Incidents } from './incidents.tsx'
import { AllMuted, MuteAll } from './teamMute.tsx'

const looks = {
  paused: { icon: KeyRound, tone: 'bad' },
  resumed: { icon: CirclePlay, tone: 'good' },
  failing: { icon: TriangleAlert, tone: 'bad' },
  dead: { icon: CircleX, tone: 'bad' },
  recovered: { icon: CircleCheck, tone: 'good' },
} as const

/** The channel of an alert, by name; its id where it is gone. */
function ChannelLink({ tagId, scriptId }: Pick<Alert, 'tagId' | 'scriptId'>) {
  const address = useAddress()
  const nameOf = useChannelName(tagId)
  return (
    <a href={address('channel', { tagId, scriptId })}>
      <bdi>{nameOf(scriptId)}</bdi>
    </a>
  )
}

function Sendings({ of }: { of: Alert['sendings'] }) {
  if (of.length === 0) return <span class="soft">{words.noHooks}</span>
  return (
    <>
      {of.map(({ hookId, status, tries, message }) => (
        <span key={hookId} class={status === 'failed' ? 'fieldIssue' : undefined}>
          {words.sent[status]} ({words.tries(tries)}){message && `: ${message}`}{' '}
        </span>
      ))}
    </>
  )
}

const { columns } = words
const cells: CardColumn<Alert>[] = [
  { name: 'when', label: columns.when, cell: ({ at }) => <Time at={at} /> },
  { name: 'channel', label: columns.channel, cell: (alert) => <ChannelLink {...alert} /> },
  {
    name: 'kind',
    label: columns.kind,
    cell: ({ kind, reason }) => (
      <span class="line">
        <Mark {...looks[kind]}>{words.kind(kind)}</Mark>
        <span class="soft">{statusWords.reason(reason)}</span>
      </span>
    ),
  },
  { name: 'count', label: columns.count, isNumber: true, cell: (alert) => words.count(alert.count) },
  { name: 'sent', label: columns.sent, cell: ({ sendings }) => <Sendings of={sendings} /> },
]

/** What happened to the channels of the team. */
export default function AlertsPage() {
  const title = frameWords.title('alerts')
  const { may } = useMay('hook:read')
  const alerts = useList(
    ['alerts'],
    (api, at) => api.listAlerts({ limit: 100, ...at }),
    (page) => page.alerts,
  )
  return (
    <>
      <PageHead title={title} below={words.intro} actions={<MuteAll />} />
      <AllMuted />
      {may && <AlertRules />}
      {may && <ContactPoints />}
      <Incidents />
      <Panel title={incidentWords.channels} isFlush>
        <Paged of={alerts} none={<Empty title={words.noneTitle}>{words.none}</Empty>}>
          {(rows) => (
            <Cards label={incidentWords.channels} columns={cells} rows={rows} keyOf={({ alertId }) => alertId} />
          )}
        </Paged>
      </Panel>
    </>
  )
}
