import { CircleAlert, CircleCheck } from 'lucide'
import { useState } from 'preact/hooks'
import type { PendingApplication, PublishedPolicy, ServerHealth, ServerSetting } from '#contract/operator.ts'
import type { PolicyType } from '#contract/policy.ts'
import type { Team } from '#contract/team.ts'
import { operatorWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { policyWords } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { CodeChips, Facts } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, ProblemNote, Skeleton, View } from '../../parts/view.tsx'

const types: readonly PolicyType[] = ['TERMS_AND_CONDITIONS', 'PRIVACY_POLICY', 'DATA_PROCESSING_AGREEMENT']

const PublishButton = () => (
  <FormButton
    button={{ isSmall: true, children: words.publish }}
    title={words.publishTitle}
    label={words.publish}
    isNarrow
    start={{ policyType: types[0]!, version: '', url: '', required: false }}
    isReady={({ version }) => version.trim() !== ''}
    changes={['publishedPolicies', 'policies']}
    call={(api, { version, url, ...policy }) =>
      api.publishPolicy({ body: { ...policy, version: version.trim(), url: url.trim() || null } })
    }
  >
    {({ field }) => (
      <>
        <SelectField
          {...field('policyType')}
          label={words.policyType}
          options={types.map((type) => [type, policyWords.name[type]])}
        />
        <TextField {...field('version')} label={policyWords.version} help={words.versionHint} />
        <TextField {...field('url')} label={words.policyUrl} help={words.policyUrlHint} isOptional />
        <CheckRow {...field('required')} label={words.required} />
      </>
    )}
  </FormButton>
)

function PolicyName({ of: { policyType, url } }: { of: PublishedPolicy }) {
  const name = policyWords.name[policyType]
  if (!url) return <>{name}</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}

const PolicyVersion = ({ of: { version, isLatest, required } }: { of: PublishedPolicy }) => (
  <span class="row">
    {version} {isLatest && <span class="chip">{words.latest}</span>}
    {required && <span class="chip">{policyWords.required}</span>}
  </span>
)

/** The published policy versions, and a form to publish another. */
function Policies() {
  const reading = useRead(['publishedPolicies'], (api) => api.listPublishedPolicies())
  return (
    <ListPanel
      title={frameWords.title.policies}
      actions={<PublishButton />}
      of={reading}
      rowsOf={({ policies }) => policies.toReversed()}
      none={words.noPolicies}
      columns={[
        { name: 'policy', label: words.policyType, cell: (policy) => <PolicyName of={policy} /> },
        { name: 'version', label: policyWords.version, cell: (policy) => <PolicyVersion of={policy} /> },
        { name: 'at', label: words.publishedAt, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
      ]}
      keyOf={({ policyType, version }) => `${policyType} ${version}`}
    />
  )
}

function Health({ of: { version, isReady, checks, advice } }: { of: ServerHealth }) {
  return (
    <Panel title={words.health}>
      <p class="line">
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

const Approve = ({ of }: { of: PendingApplication }) => (
  <ConfirmButton
    button={{ isSmall: true }}
    title={words.approveTitle(of.name, of.teamName)}
    label={words.approve}
    variant="primary"
    changes={['pendingApplications', 'applications']}
    call={(api) => api.approvePendingApplication({ applicationId: of.applicationId })}
    text={words.approveText}
  >
    <CodeChips of={of.scopes} />
  </ConfirmButton>
)

function Applications() {
  const reading = useRead(['pendingApplications'], (api) => api.listPendingApplications())
  return (
    <ListPanel
      title={words.applications}
      of={reading}
      rowsOf={({ applications }) => applications}
      none={words.noApplications}
      columns={[
        { name: 'name', label: frameWords.title.applications, cell: ({ name }) => <bdi>{name}</bdi> },
        { name: 'team', label: frameWords.chooseTeam, cell: ({ teamName }) => <bdi>{teamName}</bdi> },
        { name: 'created', label: frameWords.created, cell: ({ createdAt }) => createdAt },
      ]}
      rowActions={(application) => <Approve of={application} />}
      keyOf={({ applicationId }) => applicationId}
    />
  )
}

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
      <Cards
        label={words.teams(teams.length)}
        columns={[
          { name: 'name', label: frameWords.chooseTeam, cell: (team) => <bdi>{team.name}</bdi> },
          { name: 'id', label: words.id, cell: ({ teamId }) => <code>{teamId}</code> },
          { name: 'created', label: frameWords.created, cell: ({ createdAt }) => createdAt },
        ]}
        rows={teams}
        keyOf={({ teamId }) => teamId}
      />
      <form class="inputRow inlineForm padded" onSubmit={create}>
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

const valueText = ({ value, isHidden }: ServerSetting) =>
  isHidden ? words.hidden(value !== '' && value !== frameWords.notSet) : value || frameWords.notSet

function Settings() {
  const reading = useRead(['serverSettings'], (api) => api.readSettings())
  return (
    <ListPanel
      title={words.settings}
      note={words.settingsNote}
      of={reading}
      rowsOf={({ settings }) => settings}
      skeleton={6}
      columns={[
        {
          name: 'name',
          label: words.setting,
          cell: ({ name, help }) => (
            <>
              <code>{name}</code>
              <small class="soft">{help}</small>
            </>
          ),
        },
        { name: 'value', label: frameWords.value, cell: (setting) => <bdi>{valueText(setting)}</bdi> },
      ]}
      keyOf={({ name }) => name}
    />
  )
}

/** Settings of the whole server, for the operator only. */
export default function OperatorPage() {
  const health = useRead(['health'], (api) => api.readHealth(), { everyMs: 30_000 })
  const teams = useRead(['allTeams'], (api) => api.listTeams(), { isEnabled: health.data !== undefined })
  if (health.error && !health.data)
    return (
      <>
        <PageHead title={frameWords.title.operator} />
        <ProblemNote error={health.error} onRetry={() => void health.refetch()} />
      </>
    )
  return (
    <>
      <PageHead title={frameWords.title.operator} below={words.intro} />
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
