import { BellOff, CircleCheck, CirclePlay, CircleX, KeyRound, TriangleAlert } from 'lucide'
import type { Alert } from '#contract/alert.ts'
import type { Incident } from '#contract/alertRule.ts'
import { alertRuleWords, incidentWords } from '#dashboard/words/en/alertRules.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { alertWords as words } from '#dashboard/words/en/govern.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useList, useMay, useRead } from '../../data/here.tsx'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import type { CardColumn } from '../../parts/cards.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ListPanel, PagedPanel } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { AlertRules } from './alertRules.tsx'
import { ContactPoints } from './contactPoints.tsx'

function Messages({ of }: { of: Incident['messages'] }) {
  if (of.length === 0) return <span class="soft">{incidentWords.toNobody}</span>
  return (
    <>
      {of.map(({ to, about, status, message }) => (
        <span key={`${to} ${about}`} class={status === 'failed' ? 'fieldIssue' : undefined}>
          {incidentWords.message(to, status)}
          {message && ` (${message})`}{' '}
        </span>
      ))}
    </>
  )
}

const useIncidents = () => useRead(['incidents'], (api) => api.listIncidents({ limit: 50 }))

/** The incidents of the team's rules, newest first. */
const Incidents = () => (
  <ListPanel
    title={incidentWords.title}
    note={incidentWords.note}
    none={incidentWords.none}
    of={useIncidents()}
    rowsOf={(data) => data.incidents}
    columns={[
      {
        name: 'what',
        label: incidentWords.what,
        cell: ({ title, endedAt }) => (
          <span class="line">
            <Mark icon={endedAt ? CircleCheck : TriangleAlert} tone={endedAt ? 'good' : 'bad'}>
              {endedAt ? incidentWords.ended : incidentWords.lasts}
            </Mark>
            <bdi>{title}</bdi>
          </span>
        ),
      },
      { name: 'from', label: incidentWords.from, cell: ({ firstAt }) => <Time at={firstAt} /> },
      { name: 'to', label: incidentWords.to, cell: ({ lastAt }) => <Time at={lastAt} /> },
      { name: 'messages', label: incidentWords.messages, cell: ({ messages }) => <Messages of={messages} /> },
    ]}
    keyOf={({ incidentId }) => incidentId}
  />
)

const dayMs = 86_400_000

function MuteButton({ label, forMs }: { label: string; forMs: number }) {
  const { why } = useMay('hook:write')
  const action = useAction('alertRules', 'incidents')
  const mute = () => action.run((api) => api.muteAlertRules({ body: { until: forMs && Date.now() + forMs } }))
  return (
    <Button isSmall why={why} isBusy={action.isBusy} onClick={mute}>
      {label}
    </Button>
  )
}

/** The button that mutes all rules of the team; shown while they are not muted. */
function MuteAll() {
  const { data } = useIncidents()
  return data && data.mutedUntil === undefined ? <MuteButton label={alertRuleWords.muteAll} forMs={dayMs} /> : null
}

/** Shows that all rules of the team are muted, also to people who cannot change it. */
function AllMuted() {
  const { mutedUntil } = useIncidents().data ?? {}
  if (mutedUntil === undefined) return null
  return (
    <div class="row notice wait" role="status">
      <Icon of={BellOff} />
      <span>
        {alertRuleWords.allMuted} <Time at={mutedUntil} />
      </span>
      <MuteButton label={alertRuleWords.unmuteAll} forMs={0} />
    </div>
  )
}

const marks = {
  paused: { icon: KeyRound, tone: 'bad' },
  resumed: { icon: CirclePlay, tone: 'good' },
  failing: { icon: TriangleAlert, tone: 'bad' },
  dead: { icon: CircleX, tone: 'bad' },
  recovered: { icon: CircleCheck, tone: 'good' },
} as const

/** The channel of an alert by name, or its id if it is deleted. */
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
        <Mark {...marks[kind]}>{words.kind[kind]}</Mark>
        <span class="soft">{statusWords.reason(reason)}</span>
      </span>
    ),
  },
  { name: 'count', label: columns.count, isNumber: true, cell: (alert) => count(alert.count) },
  { name: 'sent', label: columns.sent, cell: ({ sendings }) => <Sendings of={sendings} /> },
]

/** The alerts about the team's channels. */
export default function AlertsPage() {
  const title = frameWords.title.alerts
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
      <PagedPanel
        title={incidentWords.channels}
        of={alerts}
        none={<Empty title={words.noneTitle}>{words.none}</Empty>}
        columns={cells}
        keyOf={({ alertId }) => alertId}
      />
    </>
  )
}
