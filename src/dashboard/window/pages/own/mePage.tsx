import { useState } from 'preact/hooks'
import type { Grant, Person } from '#contract/session.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAction } from '../../data/action.ts'
import { useForm } from '../../data/form.ts'
import { useHere, useRead } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormProblem } from '../../parts/formDialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { BrowserPanel } from './browserPanel.tsx'
import { DevicesPanel } from './devicesPanel.tsx'
import { SandboxPanel } from './sandboxPanel.tsx'

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
  const first = { name: person.name, email: person.email ?? '', password: '', currentPassword: '' }
  const { action, draft, change, issues, field } = useForm(first, ['sessions', 'devices'])
  const [saved, setSaved] = useState<typeof draft>()
  const changed = fields.filter((name) => draft[name] !== first[name])
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = Object.fromEntries(changed.map((name) => [name, draft[name]]))
    if (!(await action.run((api) => api.updatePerson({ body })))) return
    const next = { ...draft, password: '', currentPassword: '' }
    change(next)
    setSaved(next)
    await queries.invalidateQueries({ queryKey: [environment, 'session'] })
  }
  return (
    <form class="narrowForm" onSubmit={save}>
      <Panel title={words.profile} note={words.othersEnd}>
        {fields.map((name) => (
          <TextField key={name} {...looks[name]} {...field(name)} />
        ))}
        {person.newEmail && <p class="hint">{words.newEmail(person.newEmail)}</p>}
        <FormProblem error={action.error} issues={issues} />
        <div class="row">
          <Button type="submit" look="primary" isBusy={action.isBusy} isDisabled={changed.length === 0}>
            {words.save}
          </Button>
          <span class="saved" role="status">
            {saved && fields.every((name) => saved[name] === draft[name]) ? words.saved : ''}
          </span>
        </div>
      </Panel>
    </form>
  )
}

function Sessions() {
  const reading = useRead(['sessions'], (api) => api.listSessions())
  const action = useAction('sessions', 'devices')
  const end = (sessionId: string) => void action.run((api) => api.endSession({ sessionId }))
  return (
    <ListPanel
      title={words.sessions}
      note={words.sessionsNote}
      of={reading}
      rowsOf={({ sessions }) => sessions}
      skeleton={2}
      foot={<ProblemLine error={action.error} />}
      columns={[
        {
          name: 'since',
          label: words.signedIn,
          cell: ({ createdAt, isCurrent }) => (
            <>
              <Time at={createdAt} /> {isCurrent && <span class="chip">{words.thisOne}</span>}
            </>
          ),
        },
        { name: 'ends', label: words.ends, cell: ({ expiresAt }) => <Time at={expiresAt} look="ago" /> },
        { name: 'how', label: words.how, cell: ({ byLink }) => (byLink ? words.byLink : words.byPassword) },
      ]}
      rowActions={({ sessionId, isCurrent }) =>
        !isCurrent && (
          <Button isSmall isDisabled={action.isBusy} onClick={() => end(sessionId)}>
            {words.end}
          </Button>
        )
      }
      keyOf={({ sessionId }) => sessionId}
    />
  )
}

const EndGrant = ({ of: { name, applicationId, teamId } }: { of: Grant }) => (
  <ConfirmButton
    button={{ isSmall: true }}
    title={words.endGrantTitle(name)}
    label={words.endGrant}
    changes={['grants']}
    call={(api) => api.endGrant({ applicationId, teamId })}
    text={words.endGrantText}
  />
)

function Grants() {
  const reading = useRead(['grants'], (api) => api.listGrants())
  return (
    <ListPanel
      title={words.grants}
      note={words.grantsNote}
      of={reading}
      rowsOf={({ grants }) => grants}
      none={words.noGrants}
      columns={[
        { name: 'application', label: words.application, cell: ({ name }) => <bdi>{name}</bdi> },
        { name: 'team', label: words.team, cell: ({ teamName }) => <bdi>{teamName}</bdi> },
      ]}
      rowActions={(grant) => <EndGrant of={grant} />}
      keyOf={({ applicationId, teamId }) => `${applicationId} ${teamId}`}
    />
  )
}

/** The person's own sign-in, sessions and granted access. */
export default function MePage() {
  const { session } = useHere()
  return (
    <>
      <PageHead title={frameWords.title('me')} />
      <Profile key={session.person.personId} person={session.person} />
      <SandboxPanel person={session.person} />
      <BrowserPanel />
      <Sessions />
      <DevicesPanel />
      <Grants />
    </>
  )
}
