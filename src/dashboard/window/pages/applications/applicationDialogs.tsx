import { useState } from 'preact/hooks'
import type { Application } from '#contract/account.ts'
import type { CustomerScope } from '#contract/scopes.ts'
import { linesOf } from '#dashboard/form/tagForm.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { useAction } from '../../data/action.ts'
import { useHere } from '../../data/here.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { ScopeChoice } from './scopeChoice.tsx'

type DialogProps = { onClose: () => void }

/** The scopes that a person of this team can give: those of the own role. */
const useOwnScopes = () => useHere().me.scopes as readonly CustomerScope[]

/** Registers an application, and shows its id and secret once. */
export function RegisterDialog({ onClose }: DialogProps) {
  const own = useOwnScopes()
  const action = useAction('applications')
  const [draft, setDraft] = useState({ name: '', scopes: [] as CustomerScope[], redirectUris: '', isPublic: false })
  const [made, setMade] = useState<readonly (readonly [string, string])[]>()
  const issues = action.issues('name', 'scopes', 'redirectUris')
  const register = async () => {
    const body = { ...draft, name: draft.name.trim(), redirectUris: linesOf(draft.redirectUris) }
    const created = await action.run((api) => api.createApplication({ body }))
    if (!created) return
    const { applicationId, clientSecret } = created
    setMade([[words.clientId, applicationId], ...(clientSecret ? [[words.clientSecret, clientSecret] as const] : [])])
  }
  return (
    <FormDialog
      title={words.register}
      label={words.create}
      action={action}
      issues={issues}
      isReady={draft.name.trim() !== '' && draft.scopes.length > 0}
      once={made && { title: words.secretTitle, note: words.secretNote, values: made }}
      onSubmit={register}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        issue={issues.name}
        required
        maxLength={200}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <ScopeChoice
        of={own}
        chosen={draft.scopes}
        issue={issues.scopes}
        onChange={(scopes) => setDraft({ ...draft, scopes })}
      />
      <TextField
        label={words.redirectUris}
        issue={issues.redirectUris}
        help={words.redirectHint}
        isOptional
        rows={2}
        value={draft.redirectUris}
        onChange={(redirectUris) => setDraft({ ...draft, redirectUris })}
      />
      <CheckRow
        label={words.isPublic}
        checked={draft.isPublic}
        onChange={(isPublic) => setDraft({ ...draft, isPublic })}
      />
    </FormDialog>
  )
}

type OfApplication = DialogProps & { application: Application }

/** Issues a token, and shows it once. */
export function TokenDialog({ application: { applicationId, name, scopes }, onClose }: OfApplication) {
  const own = useOwnScopes()
  const action = useAction('applications')
  const offered = own.filter((scope) => scopes.includes(scope))
  const [chosen, setChosen] = useState<CustomerScope[]>([...offered])
  const [expires, setExpires] = useState<keyof typeof words.lives>('90d')
  const [token, setToken] = useState<string>()
  const issue = async () => {
    const body = { scopes: chosen, expires }
    const made = await action.run((api) => api.createApplicationToken({ applicationId, body }))
    if (made) setToken(made.token)
  }
  return (
    <FormDialog
      title={words.tokenTitle(name)}
      label={words.createToken}
      action={action}
      isReady={chosen.length > 0}
      once={token && { title: words.tokenMade, note: words.secretNote, values: [[words.tokenLabel, token]] }}
      onSubmit={issue}
      onClose={onClose}
    >
      <p class="soft">{words.tokenText}</p>
      <ScopeChoice of={offered} chosen={chosen} onChange={setChosen} />
      <SelectField
        label={words.tokenLife}
        options={Object.entries(words.lives)}
        value={expires}
        onChange={setExpires}
      />
    </FormDialog>
  )
}

/** Makes a new client secret, and shows it once. */
export function RotateDialog({ application: { applicationId, name }, onClose }: OfApplication) {
  const action = useAction('applications')
  const [keepBefore, setKeep] = useState<keyof typeof words.keeps>('24h')
  const [secret, setSecret] = useState<string>()
  const rotate = async () => {
    const made = await action.run((api) => api.rotateClientSecret({ applicationId, body: { keepBefore } }))
    if (made) setSecret(made.clientSecret)
  }
  return (
    <FormDialog
      title={words.rotateTitle(name)}
      label={words.rotateDone}
      isNarrow
      action={action}
      once={secret && { title: words.secretTitle, note: words.secretNote, values: [[words.clientSecret, secret]] }}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>{words.rotateText}</p>
      <SelectField
        label={words.keepBefore}
        options={Object.entries(words.keeps)}
        value={keepBefore}
        onChange={setKeep}
      />
    </FormDialog>
  )
}
