import { CircleAlert, CircleCheck } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { PendingApplication, ServerHealth, ServerSetting } from '#contract/operator.ts'
import type { Team } from '#contract/team.ts'
import { operatorWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Facts } from '../../parts/code.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ProblemLine, ProblemNote, Skeleton, View } from '../../parts/view.tsx'
import { Policies } from './operatorPolicies.tsx'

function Health({ of: { version, isReady, checks, advice } }: { of: ServerHealth }) {
  return (
    <Panel title={words.health}>
      <p class="stateLine">
        <Mark icon={isReady ? CircleCheck : CircleAlert} tone={isReady ? 'good' : 'bad'}>
          {isReady ? words.ready : words.notReady}
        </Mark>
      </p>
      <Facts of={[[words.version, version], ...Object.entries(checks)]} />
      <h3>{words.advice}</h3>
      {advice.length === 0 ? (
        <p class="soft">{words.noAdvice}</p>
      ) : (
        <ul class="lineList">
          {advice.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const applicationColumns = [
  { name: 'name', label: frameWords.title('applications') },
  { name: 'team', label: frameWords.chooseTeam },
  { name: 'created', label: words.created },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

function Applications() {
  const reading = useRead(['pendingApplications'], (api: Client) => api.listPendingApplications())
  const action = useAction('pendingApplications', 'applications')
  const [asked, setAsked] = useState<PendingApplication>()
  const approve = async () => {
    const { applicationId } = asked!
    if (await action.run((api) => api.approvePendingApplication({ applicationId }))) setAsked(undefined)
  }
  return (
    <Panel title={words.applications} isFlush>
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ applications }) =>
          applications.length === 0 ? (
            <p class="soft padded">{words.noApplications}</p>
          ) : (
            <Cards<PendingApplication>
              label={words.applications}
              columns={applicationColumns}
              rows={applications}
              keyOf={({ applicationId }) => applicationId}
              cells={(application) => [
                <bdi key="name">{application.name}</bdi>,
                <bdi key="team">{application.teamName}</bdi>,
                application.createdAt,
                <div key="actions" class="rowActions">
                  <Button isSmall onClick={() => setAsked(application)}>
                    {words.approve}
                  </Button>
                </div>,
              ]}
            />
          )
        }
      </View>
      {asked && (
        <ConfirmDialog
          title={words.approveTitle(asked.name, asked.teamName)}
          label={words.approve}
          look="primary"
          action={action}
          onConfirm={approve}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.approveText}</p>
          <p class="chipRow">
            {asked.scopes.map((scope) => (
              <code key={scope} class="chip">
                {scope}
              </code>
            ))}
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

const teamColumns = [
  { name: 'name', label: frameWords.chooseTeam },
  { name: 'id', label: words.id },
  { name: 'created', label: words.created },
]

function Teams({ teams }: { teams: readonly Team[] }) {
  const action = useAction('allTeams')
  const [name, setName] = useState('')
  const [made, setMade] = useState<string>()
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    const team = name.trim() ? await action.run((api) => api.createTeam({ body: { name: name.trim() } })) : undefined
    setMade(team?.name)
    if (team) setName('')
  }
  return (
    <Panel title={words.teams(teams.length)} isFlush>
      <Cards<Team>
        label={words.teams(teams.length)}
        columns={teamColumns}
        rows={teams}
        keyOf={({ teamId }) => teamId}
        cells={({ teamId, name: text, createdAt }) => [
          <bdi key="name">{text}</bdi>,
          <code key="id">{teamId}</code>,
          createdAt,
        ]}
      />
      <form class="inlineForm padded" onSubmit={create}>
        <input
          type="text"
          aria-label={words.teamName}
          placeholder={words.teamName}
          maxLength={200}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" isBusy={action.isBusy} isDisabled={name.trim() === ''}>
          {words.createTeam}
        </Button>
      </form>
      <p class="saved" role="status">
        {made ? words.made(made) : ''}
      </p>
      <ProblemLine error={action.error} />
    </Panel>
  )
}

const settingColumns = [
  { name: 'name', label: words.setting },
  { name: 'value', label: words.value },
]

const valueText = ({ value, isHidden }: ServerSetting) =>
  isHidden ? words.hidden(value !== '' && value !== words.notSet) : value || words.notSet

function Settings() {
  const reading = useRead(['serverSettings'], (api: Client) => api.readSettings())
  return (
    <Panel title={words.settings} note={words.settingsNote} isFlush>
      <View of={reading} skeleton={<Skeleton rows={6} />}>
        {({ settings }) => (
          <Cards<ServerSetting>
            label={words.settings}
            columns={settingColumns}
            rows={settings}
            keyOf={({ name }) => name}
            cells={(setting) => [
              <span key="name">
                <code>{setting.name}</code>
                <small class="soft">{setting.help}</small>
              </span>,
              <bdi key="value">{valueText(setting)}</bdi>,
            ]}
          />
        )}
      </View>
    </Panel>
  )
}

/** What concerns the whole server: for the operator alone. */
export default function OperatorPage() {
  const health = useRead(['health'], (api: Client) => api.readHealth(), { everyMs: 30_000 })
  const teams = useRead(['allTeams'], (api: Client) => api.listTeams(), { isEnabled: health.data !== undefined })
  if (health.error && !health.data)
    return (
      <>
        <PageHead title={frameWords.title('operator')} />
        <ProblemNote error={health.error} onRetry={() => void health.refetch()} />
      </>
    )
  return (
    <>
      <PageHead title={frameWords.title('operator')} below={words.intro} />
      <View of={health} skeleton={<Skeleton rows={4} />}>
        {(of) => (
          <>
            <Health of={of} />
            <Applications />
            <View of={teams} skeleton={<Skeleton rows={2} />}>
              {(all) => <Teams teams={all.teams} />}
            </View>
            <Policies />
            <Settings />
          </>
        )}
      </View>
    </>
  )
}
