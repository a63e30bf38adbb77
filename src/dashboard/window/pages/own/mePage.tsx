import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Grant, OwnSession, Person } from '#contract/session.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { issuesByName } from '#dashboard/form/tagForm.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useHere, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { Field } from '../../parts/field.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { BrowserPanel } from './browserPanel.tsx'

const fields = ['name', 'email', 'password', 'currentPassword'] as const
type FieldName = (typeof fields)[number]
const looks: Record<FieldName, { label: string; type: string; help?: string; autocomplete: string }> = {
  name: { label: words.name, type: 'text', autocomplete: 'name' },
  email: { label: words.email, type: 'email', autocomplete: 'username' },
  password: { label: words.password, type: 'password', help: words.passwordHint, autocomplete: 'new-password' },
  currentPassword: {
    label: words.current,
    type: 'password',
    help: words.currentHint,
    autocomplete: 'current-password',
  },
}

function Profile({ person }: { person: Person }) {
  const { environment } = useHere()
  const action = useAction('sessions')
  const first = { name: person.name, email: person.email ?? '', password: '', currentPassword: '' }
  const [values, setValues] = useState<Record<FieldName, string>>(first)
  const [isSaved, setSaved] = useState(false)
  const issues = issuesByName(issuesOf(action.error), fields)
  const changed = fields.filter((name) => values[name] !== first[name])
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = Object.fromEntries(changed.map((name) => [name, values[name]]))
    if (!(await action.run((api) => api.updatePerson({ body })))) return
    setValues({ ...values, password: '', currentPassword: '' })
    setSaved(true)
    await queries.invalidateQueries({ queryKey: [environment, 'session'] })
  }
  return (
    <form class="narrowForm" onSubmit={save}>
      <Panel title={words.profile} note={words.othersEnd}>
        {fields.map((name) => (
          <Field key={name} label={looks[name].label} issue={issues[name]} help={looks[name].help}>
            {({ id, describedBy, isInvalid }) => (
              <input
                // The type of `type` is a union of which each member has attributes of its own.
                type={looks[name].type as 'text'}
                id={id}
                name={name}
                aria-describedby={describedBy}
                aria-invalid={isInvalid}
                autocomplete={looks[name].autocomplete}
                value={values[name]}
                onInput={(event) => {
                  setValues({ ...values, [name]: event.currentTarget.value })
                  setSaved(false)
                }}
              />
            )}
          </Field>
        ))}
        {person.newEmail && <p class="hint">{words.newEmail(person.newEmail)}</p>}
        {issues[''] && <p class="fieldIssue">{issues['']}</p>}
        {Object.keys(issues).length === 0 && <ProblemLine error={action.error} />}
        <div class="formFoot">
          <Button type="submit" look="primary" isBusy={action.isBusy} isDisabled={changed.length === 0}>
            {words.save}
          </Button>
          <span class="saved" role="status">
            {isSaved ? words.saved : ''}
          </span>
        </div>
      </Panel>
    </form>
  )
}

const sessionColumns = [
  { name: 'since', label: words.signedIn },
  { name: 'ends', label: words.ends },
  { name: 'how', label: words.how },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

function Sessions() {
  const reading = useRead(['sessions'], (api: Client) => api.listSessions())
  const action = useAction('sessions')
  return (
    <Panel title={words.sessions} note={words.sessionsNote} isFlush>
      <View of={reading} skeleton={<Skeleton rows={2} />}>
        {({ sessions }) => (
          <Cards<OwnSession>
            label={words.sessions}
            columns={sessionColumns}
            rows={sessions}
            keyOf={({ sessionId }) => sessionId}
            cells={({ sessionId, createdAt, expiresAt, isCurrent, byLink }) => [
              <span key="since">
                <Time at={createdAt} /> {isCurrent && <span class="chip">{words.thisOne}</span>}
              </span>,
              <Time key="ends" at={expiresAt} look="ago" />,
              byLink ? words.byLink : words.byPassword,
              !isCurrent && (
                <div key="actions" class="rowActions">
                  <Button
                    isSmall
                    isDisabled={action.isBusy}
                    onClick={() => void action.run((api) => api.endSession({ sessionId }))}
                  >
                    {words.end}
                  </Button>
                </div>
              ),
            ]}
          />
        )}
      </View>
      <ProblemLine error={action.error} />
    </Panel>
  )
}

const grantColumns = [
  { name: 'application', label: words.application },
  { name: 'team', label: words.team },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

function Grants() {
  const reading = useRead(['grants'], (api: Client) => api.listGrants())
  const action = useAction('grants')
  const [asked, setAsked] = useState<Grant>()
  const end = async () => {
    const { applicationId, teamId } = asked!
    if (await action.run((api) => api.endGrant({ applicationId, teamId }))) setAsked(undefined)
  }
  return (
    <Panel title={words.grants} note={words.grantsNote} isFlush>
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ grants }) =>
          grants.length === 0 ? (
            <p class="soft padded">{words.noGrants}</p>
          ) : (
            <Cards<Grant>
              label={words.grants}
              columns={grantColumns}
              rows={grants}
              keyOf={({ applicationId, teamId }) => `${applicationId} ${teamId}`}
              cells={(grant) => [
                <bdi key="name">{grant.name}</bdi>,
                <bdi key="team">{grant.teamName}</bdi>,
                <div key="actions" class="rowActions">
                  <Button isSmall onClick={() => setAsked(grant)}>
                    {words.endGrant}
                  </Button>
                </div>,
              ]}
            />
          )
        }
      </View>
      {asked && (
        <ConfirmDialog
          title={words.endGrantTitle(asked.name)}
          label={words.endGrant}
          action={action}
          onConfirm={end}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.endGrantText}</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

/** The person's own sign-in, sessions and granted access. */
export default function MePage() {
  const { session } = useHere()
  return (
    <>
      <PageHead title={frameWords.title('me')} />
      <Profile key={session.person.personId} person={session.person} />
      <BrowserPanel />
      <Sessions />
      <Grants />
    </>
  )
}
