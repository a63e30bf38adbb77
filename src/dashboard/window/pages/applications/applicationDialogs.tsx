import type { Application } from '#contract/account.ts'
import type { CustomerScope } from '#contract/scopes.ts'
import { linesOf } from '#dashboard/form/tagForm.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
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
  return (
    <FormDialog
      title={words.register}
      label={words.create}
      start={{ name: '', scopes: [] as CustomerScope[], redirectUris: '', isPublic: false }}
      isReady={({ name, scopes }) => name.trim() !== '' && scopes.length > 0}
      changes={['applications']}
      call={(api, { name, redirectUris, ...draft }) =>
        api.createApplication({ body: { ...draft, name: name.trim(), redirectUris: linesOf(redirectUris) } })
      }
      onceOf={({ applicationId, clientSecret }) => ({
        title: words.secretTitle,
        note: words.secretNote,
        values: [
          [words.clientId, applicationId],
          ...(clientSecret ? [[words.clientSecret, clientSecret] as const] : []),
        ],
      })}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextField {...field('name')} label={words.name} required maxLength={200} />
          <ScopeChoice {...field('scopes')} of={own} />
          <TextField
            {...field('redirectUris')}
            label={words.redirectUris}
            help={words.redirectHint}
            isOptional
            rows={2}
          />
          <CheckRow {...field('isPublic')} label={words.isPublic} />
        </>
      )}
    </FormDialog>
  )
}

type OfApplication = DialogProps & { application: Application }

/** Issues a token, and shows it once. */
export function TokenDialog({ application: { applicationId, name, scopes: given }, onClose }: OfApplication) {
  const offered = useOwnScopes().filter((scope) => given.includes(scope))
  return (
    <FormDialog
      title={words.tokenTitle(name)}
      label={words.createToken}
      start={{ scopes: [...offered], expires: '90d' }}
      isReady={({ scopes }) => scopes.length > 0}
      changes={['applications']}
      call={(api, body) => api.createApplicationToken({ applicationId, body })}
      onceOf={({ token }) => ({
        title: words.tokenMade,
        note: words.secretNote,
        values: [[words.tokenLabel, token]],
      })}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p class="soft">{words.tokenText}</p>
          <ScopeChoice {...field('scopes')} of={offered} />
          <SelectField {...field('expires')} label={words.tokenLife} options={Object.entries(words.lives)} />
        </>
      )}
    </FormDialog>
  )
}

/** Makes a new client secret, and shows it once. */
export const RotateDialog = ({ application: { applicationId, name }, onClose }: OfApplication) => (
  <FormDialog
    title={words.rotateTitle(name)}
    label={words.rotateDone}
    isNarrow
    start={{ keepBefore: '24h' as keyof typeof words.keeps }}
    changes={['applications']}
    call={(api, body) => api.rotateClientSecret({ applicationId, body })}
    onceOf={({ clientSecret }) => ({
      title: words.secretTitle,
      note: words.secretNote,
      values: [[words.clientSecret, clientSecret]],
    })}
    onClose={onClose}
  >
    {({ field }) => (
      <>
        <p>{words.rotateText}</p>
        <SelectField {...field('keepBefore')} label={words.keepBefore} options={Object.entries(words.keeps)} />
      </>
    )}
  </FormDialog>
)
