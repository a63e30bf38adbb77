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
import { FormButton } from '../../parts/formDialog.tsx'
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

/** The scopes that a person can grant in this team: those of their role. */
const useOwnScopes = () => useHere().me.scopes as readonly CustomerScope[]

/** Registers an application, and shows its id and secret once. */
function RegisterButton() {
  const { why } = useMay('application:write')
  const own = useOwnScopes()
  return (
    <FormButton
      button={{ variant: 'primary', icon: Plus, why }}
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
    </FormButton>
  )
}

type OfApplication = { of: Application }

/** Issues a token, and shows it once. */
function TokenButton({ of: { applicationId, name, scopes: given, status } }: OfApplication) {
  const offered = useOwnScopes().filter((scope) => given.includes(scope))
  const why = status === 'pending' ? words.notApproved : undefined
  return (
    <FormButton
      button={{ isSmall: true, icon: Plus, why, children: words.token }}
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
    >
      {({ field }) => (
        <>
          <p class="soft">{words.tokenText}</p>
          <ScopeChoice {...field('scopes')} of={offered} />
          <SelectField {...field('expires')} label={words.tokenLife} options={Object.entries(words.lives)} />
        </>
      )}
    </FormButton>
  )
}

/** Makes a new client secret, and shows it once. */
const RotateButton = ({ of: { applicationId, name, isPublic } }: OfApplication) => (
  <FormButton
    button={{ isSmall: true, icon: KeyRound, why: isPublic ? words.isPublicWhy : undefined, children: words.rotate }}
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
  >
    {({ field }) => (
      <>
        <p>{words.rotateText}</p>
        <SelectField {...field('keepBefore')} label={words.keepBefore} options={Object.entries(words.keeps)} />
      </>
    )}
  </FormButton>
)

type Token = Application['tokens'][number]
const marks = {
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
        { name: 'expires', label: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} format="ago" /> },
      ]}
      actions={({ tokenId }) => <RevokeButton tokenId={tokenId} />}
      rows={tokens}
      keyOf={({ tokenId }) => tokenId}
    />
  )

function Remove({ of: { applicationId, name } }: OfApplication) {
  return (
    <ConfirmButton
      button={{ isSmall: true, variant: 'quiet', icon: Trash2, label: `${frameWords.delete} ${name}` }}
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

const Actions = ({ of }: OfApplication) => (
  <div class="row rowActions">
    <TokenButton of={of} />
    <RotateButton of={of} />
    <Remove of={of} />
  </div>
)

function OneApplication({ of }: OfApplication) {
  const { applicationId, name, status, isPublic, scopes, redirectUris, createdAt, tokens } = of
  return (
    <Panel title={name} note={<code>{applicationId}</code>} actions={<Actions of={of} />}>
      <p class="line">
        <Mark {...marks[status]}>{words.status[status]}</Mark>
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
  const list = useList(
    ['applications'],
    (api, at) => api.listApplications({ limit: 100, ...at }),
    ({ applications }) => applications,
  )
  return (
    <>
      <PageHead title={frameWords.title.applications} below={words.intro} actions={<RegisterButton />} />
      <Paged of={list} skeleton={4} none={<Empty title={words.noneTitle}>{words.none}</Empty>}>
        {(rows) => rows.map((each) => <OneApplication key={each.applicationId} of={each} />)}
      </Paged>
    </>
  )
}
