import { useState } from 'preact/hooks'
import type { Application } from '#contract/account.ts'
import type { CustomerScope } from '#contract/scopes.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { issuesByName, linesOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useHere } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { OnceDialog } from '../../parts/confirmDialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { ScopeChoice } from './scopeChoice.tsx'

type DialogProps = { onClose: () => void }

/** The scopes that a person of this team can give: those of the own role. */
const useOwnScopes = () => useHere().me.scopes as readonly CustomerScope[]

function Foot({
  label,
  action,
  isReady = true,
  onClose,
}: DialogProps & {
  label: string
  action: ReturnType<typeof useAction>
  isReady?: boolean
}) {
  return (
    <>
      {issuesOf(action.error).length === 0 && <ProblemLine error={action.error} />}
      <div class="dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button type="submit" look="primary" isBusy={action.isBusy} isDisabled={!isReady}>
          {label}
        </Button>
      </div>
    </>
  )
}

type Draft = { name: string; scopes: CustomerScope[]; redirectUris: string; isPublic: boolean }

/** Registers the draft; `made` is then the id and the secret, by their labels. */
function useRegister({ name, scopes, redirectUris, isPublic }: Draft) {
  const action = useAction('applications')
  const [made, setMade] = useState<readonly (readonly [string, string])[]>()
  const register = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { name: name.trim(), scopes, redirectUris: linesOf(redirectUris), isPublic }
    const created = await action.run((api) => api.createApplication({ body }))
    if (!created) return
    const { applicationId, clientSecret } = created
    setMade([[words.clientId, applicationId], ...(clientSecret ? [[words.clientSecret, clientSecret] as const] : [])])
  }
  return { action, made, register }
}

type DraftPart = { draft: Draft; issue: string | undefined; onChange: (next: Draft) => void }

function RedirectUris({ draft, issue, onChange }: DraftPart) {
  return (
    <Field label={words.redirectUris} issue={issue} help={words.redirectHint} isOptional>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="mono"
          rows={2}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          spellcheck={false}
          value={draft.redirectUris}
          onInput={(event) => onChange({ ...draft, redirectUris: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}

/** Registers an application, and shows its id and secret once. */
export function RegisterDialog({ onClose }: DialogProps) {
  const own = useOwnScopes()
  const [draft, setDraft] = useState<Draft>({ name: '', scopes: [], redirectUris: '', isPublic: false })
  const { action, made, register } = useRegister(draft)
  const issues = issuesByName(issuesOf(action.error), ['name', 'scopes', 'redirectUris'])
  if (made) return <OnceDialog title={words.secretTitle} note={words.secretNote} values={made} onClose={onClose} />
  return (
    <Dialog title={words.register} onClose={onClose}>
      <form class="dialogForm" onSubmit={register}>
        <Field label={words.name} issue={issues.name}>
          {({ id, describedBy, isInvalid }) => (
            <input
              type="text"
              id={id}
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              required
              maxLength={200}
              autocomplete="off"
              value={draft.name}
              onInput={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
            />
          )}
        </Field>
        <ScopeChoice
          of={own}
          chosen={draft.scopes}
          issue={issues.scopes}
          onChange={(scopes) => setDraft({ ...draft, scopes })}
        />
        <RedirectUris draft={draft} issue={issues.redirectUris} onChange={setDraft} />
        <label class="checkRow">
          <input
            type="checkbox"
            checked={draft.isPublic}
            onChange={(event) => setDraft({ ...draft, isPublic: event.currentTarget.checked })}
          />
          {words.isPublic}
        </label>
        {issues[''] && <p class="fieldIssue">{issues['']}</p>}
        <Foot
          label={words.create}
          action={action}
          isReady={draft.name.trim() !== '' && draft.scopes.length > 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

type OfApplication = DialogProps & { application: Application }

function LifeSelect<Life extends string>({
  label,
  lives,
  value,
  onChange,
}: {
  label: string
  lives: Readonly<Record<Life, string>>
  value: Life
  onChange: (next: Life) => void
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Life)}>
        {Object.entries(lives).map(([each, text]) => (
          <option key={each} value={each}>
            {text as string}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Issues a token, and shows it once. */
export function TokenDialog({ application: { applicationId, name, scopes }, onClose }: OfApplication) {
  const own = useOwnScopes()
  const action = useAction('applications')
  const offered = own.filter((scope) => scopes.includes(scope))
  const [chosen, setChosen] = useState<CustomerScope[]>([...offered])
  const [expires, setExpires] = useState<keyof typeof words.lives>('90d')
  const [token, setToken] = useState<string>()
  const issue = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { scopes: chosen, expires }
    const made = await action.run((api) => api.createApplicationToken({ applicationId, body }))
    if (made) setToken(made.token)
  }
  if (token)
    return (
      <OnceDialog
        title={words.tokenMade}
        note={words.secretNote}
        values={[[words.tokenLabel, token]]}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={words.tokenTitle(name)} onClose={onClose}>
      <form class="dialogForm" onSubmit={issue}>
        <p class="soft">{words.tokenText}</p>
        <ScopeChoice of={offered} chosen={chosen} onChange={setChosen} />
        <LifeSelect label={words.tokenLife} lives={words.lives} value={expires} onChange={setExpires} />
        <Foot label={words.createToken} action={action} isReady={chosen.length > 0} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** Makes a new client secret, and shows it once. */
export function RotateDialog({ application: { applicationId, name }, onClose }: OfApplication) {
  const action = useAction('applications')
  const [keepBefore, setKeep] = useState<keyof typeof words.keeps>('24h')
  const [secret, setSecret] = useState<string>()
  const rotate = async (event: SubmitEvent) => {
    event.preventDefault()
    const made = await action.run((api) => api.rotateClientSecret({ applicationId, body: { keepBefore } }))
    if (made) setSecret(made.clientSecret)
  }
  if (secret)
    return (
      <OnceDialog
        title={words.secretTitle}
        note={words.secretNote}
        values={[[words.clientSecret, secret]]}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={words.rotateTitle(name)} onClose={onClose} look="narrow">
      <form class="dialogForm" onSubmit={rotate}>
        <p>{words.rotateText}</p>
        <LifeSelect label={words.keepBefore} lives={words.keeps} value={keepBefore} onChange={setKeep} />
        <Foot label={words.rotateDone} action={action} onClose={onClose} />
      </form>
    </Dialog>
  )
}
