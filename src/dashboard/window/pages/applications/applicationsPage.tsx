import { CircleCheck, Clock, KeyRound, Plus, Trash2 } from 'lucide'
import type { Application } from '#contract/account.ts'
import type { CustomerScope } from '#contract/scopes.ts'
import { linesOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { useHere, useList, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { CodeChips, Facts } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { Paged } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { RevokeButton } from './revokeButton.tsx'

type ScopeChoiceProps = {
  of: readonly CustomerScope[]
  value: readonly CustomerScope[]
  onChange: (next: CustomerScope[]) => void
  issue?: string | undefined
}

/** The scopes of an application or token, with a check box each. */
function ScopeChoice({ of, value: chosen, onChange, issue }: ScopeChoiceProps) {
  const keep = (test: (scope: CustomerScope) => boolean) => onChange(of.filter(test))
  return (
    <fieldset class="field">
      <legend>{words.scopes}</legend>
      <div class="row">
        <Button isSmall onClick={() => keep((scope) => scope.endsWith(':read'))}>
          {words.readOnly}
        </Button>
        <Button isSmall onClick={() => keep(() => true)}>
          {words.allScopes}
        </Button>
        <Button isSmall onClick={() => keep(() => false)}>
          {words.noScopes}
        </Button>
      </div>
      <div class="scopeGrid">
        {of.map((scope) => (
          <CheckRow
            key={scope}
            label={<code>{scope}</code>}
            value={chosen.includes(scope)}
            onChange={(isOn) => keep((each) => (each === scope ? isOn : chosen.includes(each)))}
          />
        ))}
      </div>
      <p class="fieldIssue">{issue}</p>
    </fieldset>
  )
}

type DialogProps = { onClose: () => void }

/** The scopes that a person can grant in this team: those of their role. */
const useOwnScopes = () => useHere().me.scopes as readonly CustomerScope[]

/** Registers an application, and shows its id and secret once. */
function RegisterDialog({ onClose }: DialogProps) {
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
          <TextField {...field('name')} label={frameWords.name} required maxLength={200} />
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
function TokenDialog({ application: { applicationId, name, scopes: given }, onClose }: OfApplication) {
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
        values: [[frameWords.token, token]],
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
const RotateDialog = ({ application: { applicationId, name }, onClose }: OfApplication) => (
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

type Token = Application['tokens'][number]
const looks = {
  pending: { icon: Clock, tone: 'wait' },
  approved: { icon: CircleCheck, tone: 'good' },
} as const

const Tokens = ({ tokens }: { tokens: readonly Token[] }) =>
  tokens.length === 0 ? (
    <p class="soft">{words.noTokens}</p>
  ) : (
    <Cards
      label={words.tokens}
      columns={[
        { name: 'id', label: frameWords.token, cell: ({ tokenId }) => <code>{tokenId}</code> },
        {
          name: 'scopes',
          label: words.scopes,
          cell: ({ scopes }) => <span title={scopes.join(' ')}>{words.nScopes(scopes.length)}</span>,
        },
        { name: 'expires', label: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} look="ago" /> },
      ]}
      actions={({ tokenId }) => <RevokeButton tokenId={tokenId} />}
      rows={tokens}
      keyOf={({ tokenId }) => tokenId}
    />
  )

function Remove({ of: { applicationId, name } }: { of: Application }) {
  return (
    <ConfirmButton
      button={{ isSmall: true, look: 'quiet', icon: Trash2, label: `${frameWords.delete} ${name}` }}
      title={frameWords.deleteTitle(name)}
      label={frameWords.delete}
      typed={{ text: name, label: frameWords.deleteConfirm(name) }}
      changes={['applications']}
      call={(api) => api.deleteApplication({ applicationId })}
      text={words.removeText}
    />
  )
}

const Scopes = ({ of: scopes }: { of: Application['scopes'] }) => (
  <details>
    <summary>{words.nScopes(scopes.length)}</summary>
    <CodeChips of={scopes} />
  </details>
)

const Actions = ({ of }: { of: Application }) => (
  <div class="row rowActions">
    <DialogButton
      isSmall
      icon={Plus}
      why={of.status === 'pending' ? words.notApproved : undefined}
      dialog={(close) => <TokenDialog application={of} onClose={close} />}
    >
      {words.token}
    </DialogButton>
    <DialogButton
      isSmall
      icon={KeyRound}
      why={of.isPublic ? words.isPublicWhy : undefined}
      dialog={(close) => <RotateDialog application={of} onClose={close} />}
    >
      {words.rotate}
    </DialogButton>
    <Remove of={of} />
  </div>
)

function OneApplication({ of }: { of: Application }) {
  const { applicationId, name, status, isPublic, scopes, redirectUris, createdAt, tokens } = of
  return (
    <Panel title={name} note={<code>{applicationId}</code>} actions={<Actions of={of} />}>
      <p class="line">
        <Mark {...looks[status]}>{words.status[status]}</Mark>
        {isPublic && <span class="chip">{words.public}</span>}
      </p>
      <Facts
        of={[[words.created, createdAt], redirectUris.length > 0 && [words.redirectUris, redirectUris.join(', ')]]}
      />
      <Scopes of={scopes} />
      <h3>{words.tokens}</h3>
      <Tokens tokens={tokens} />
    </Panel>
  )
}

/** The team's programs: their registration, secrets and tokens. */
export default function ApplicationsPage() {
  const { why } = useMay('application:write')
  const list = useList(
    ['applications'],
    (api, at) => api.listApplications({ limit: 100, ...at }),
    ({ applications }) => applications,
  )
  const register = (
    <DialogButton look="primary" icon={Plus} why={why} dialog={(close) => <RegisterDialog onClose={close} />}>
      {words.register}
    </DialogButton>
  )
  return (
    <>
      <PageHead title={frameWords.title.applications} below={words.intro} actions={register} />
      <Paged of={list} skeleton={4} none={<Empty title={words.noneTitle}>{words.none}</Empty>}>
        {(rows) => rows.map((each) => <OneApplication key={each.applicationId} of={each} />)}
      </Paged>
    </>
  )
}
