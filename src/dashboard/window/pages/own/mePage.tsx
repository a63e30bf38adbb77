import { useState } from 'preact/hooks'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import type { Grant, Person } from '#contract/session.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAction } from '../../data/action.ts'
import { useForm } from '../../data/form.ts'
import { useHere, useRead } from '../../data/here.tsx'
import { chooseLanguage, chosenLanguage } from '../../data/language.ts'
import { queries } from '../../data/query.ts'
import { notifications } from '../../data/signal.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormButton, FormProblem } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

const linkFieldProps = {
  email: { label: words.sandboxEmail, type: 'email' },
  password: { label: words.sandboxPassword, type: 'password' },
  currentPassword: { label: words.current, type: 'password' },
} as const
const linkFields = Object.keys(linkFieldProps) as (keyof typeof linkFieldProps)[]

const LinkButton = ({ person, onDone }: { person: Person; onDone: () => void }) => (
  <FormButton
    button={{ children: words.link }}
    title={words.linkTitle}
    label={words.link}
    isNarrow
    start={{ email: person.email ?? '', password: '', currentPassword: '' }}
    isReady={(draft) => linkFields.every((name) => draft[name] !== '')}
    changes={['sessions']}
    call={(api, body) => api.linkSandbox({ body })}
    onDone={onDone}
  >
    {({ field }) => (
      <>
        <p>{words.linkText}</p>
        {linkFields.map((name) => (
          <TextField key={name} {...linkFieldProps[name]} {...field(name)} />
        ))}
      </>
    )}
  </FormButton>
)

/** The link to the person's sandbox account. Only in production, if the server offers it. */
function SandboxPanel({ person }: { person: Person }) {
  const { environment } = useHere()
  const action = useAction('sessions')
  const read = () => void queries.invalidateQueries({ queryKey: [environment, 'session'] })
  if (!person.sandbox) return null
  const unlink = async () => {
    if (await action.run((api) => api.unlinkSandbox())) read()
  }
  return (
    <Panel title={words.sandbox} note={words.sandboxNote}>
      <p role="status">{words.sandboxStates[person.sandbox]}</p>
      <ProblemLine error={action.error} />
      <div class="row">
        {person.sandbox !== 'linked' && <LinkButton person={person} onDone={read} />}
        {person.sandbox !== 'notLinked' && (
          <Button isBusy={action.isBusy} onClick={() => void unlink()}>
            {words.unlink}
          </Button>
        )}
      </div>
    </Panel>
  )
}

const canNotify = () => 'Notification' in window && Notification.permission !== 'denied'

/** Asks for the browser's permission when switched on. */
function NotifyChoice() {
  const [isBlocked, setBlocked] = useState(notifications.value.value === 'on' && !canNotify())
  const change = async (isOn: boolean) => {
    notifications.set(isOn ? 'on' : 'off')
    if (isOn && canNotify()) await Notification.requestPermission().catch(() => 'denied')
    setBlocked(isOn && !(canNotify() && Notification.permission === 'granted'))
  }
  return (
    <div class="field">
      <CheckRow
        label={words.notify}
        value={notifications.value.value === 'on'}
        onChange={(isOn) => void change(isOn)}
      />
      <p class="hint">{words.notifyHint}</p>
      <p class="hint" role="status">
        {isBlocked && words.notifyBlocked}
      </p>
    </div>
  )
}

/** The settings stored only in this browser: the language, and notifications. */
function BrowserPanel() {
  return (
    <Panel title={words.browser} note={words.browserNote}>
      <SelectField
        label={words.language}
        options={[['', words.browserLanguage], ...Object.entries(dashboardLanguages)]}
        value={chosenLanguage() ?? ''}
        onChange={(language) => chooseLanguage((language || undefined) as DashboardLanguage)}
      />
      <NotifyChoice />
    </Panel>
  )
}

/** The browsers in which the person has signed in. */
function DevicesPanel() {
  const reading = useRead(['devices'], (api) => api.listDevices())
  const action = useAction('devices')
  const forget = (deviceId: string) => void action.run((api) => api.forgetDevice({ deviceId }))
  return (
    <ListPanel
      title={words.devices}
      note={words.devicesNote}
      of={reading}
      rowsOf={({ devices }) => devices}
      none={words.noDevices}
      skeleton={2}
      foot={<ProblemLine error={action.error} />}
      columns={[
        {
          name: 'browser',
          label: words.deviceBrowser,
          cell: ({ browser, system, isCurrent }) => (
            <>
              <bdi>{words.device(browser, system)}</bdi> {isCurrent && <span class="chip">{words.thisOne}</span>}
            </>
          ),
        },
        { name: 'first', label: words.firstSeen, cell: ({ createdAt }) => <Time at={createdAt} format="ago" /> },
        { name: 'last', label: words.lastSeen, cell: ({ seenAt }) => <Time at={seenAt} format="ago" /> },
      ]}
      rowActions={({ deviceId }) => (
        <Button isSmall isDisabled={action.isBusy} onClick={() => forget(deviceId)}>
          {words.forget}
        </Button>
      )}
      keyOf={({ deviceId }) => deviceId}
    />
  )
}

const fields = ['name', 'email', 'password', 'currentPassword'] as const
type FieldName = (typeof fields)[number]
const fieldProps: Record<FieldName, { label: string; type: string; help?: string; autocomplete: string }> = {
  name: { label: frameWords.name, type: 'text', autocomplete: 'name' },
  email: { label: frameWords.email, type: 'email', autocomplete: 'username' },
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
          <TextField key={name} {...fieldProps[name]} {...field(name)} />
        ))}
        {person.newEmail && <p class="hint">{words.newEmail(person.newEmail)}</p>}
        <FormProblem error={action.error} issues={issues} />
        <div class="row">
          <Button type="submit" variant="primary" isBusy={action.isBusy} isDisabled={changed.length === 0}>
            {frameWords.save}
          </Button>
          <span class="saved" role="status">
            {saved && fields.every((name) => saved[name] === draft[name]) ? frameWords.saved : ''}
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
        { name: 'ends', label: frameWords.ends, cell: ({ expiresAt }) => <Time at={expiresAt} format="ago" /> },
        { name: 'how', label: words.how, cell: ({ byLink }) => (byLink ? words.byLink : words.byPassword) },
      ]}
      rowActions={({ sessionId, isCurrent }) =>
        !isCurrent && (
          <Button isSmall isDisabled={action.isBusy} onClick={() => end(sessionId)}>
            {frameWords.signOut}
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
        { name: 'team', label: frameWords.chooseTeam, cell: ({ teamName }) => <bdi>{teamName}</bdi> },
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
      <PageHead title={frameWords.title.me} />
      <Profile key={session.person.personId} person={session.person} />
      <SandboxPanel person={session.person} />
      <BrowserPanel />
      <Sessions />
      <DevicesPanel />
      <Grants />
    </>
  )
}
