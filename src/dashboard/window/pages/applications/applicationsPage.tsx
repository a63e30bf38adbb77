import { CircleCheck, Clock, KeyRound, Plus, Trash2 } from 'lucide'
import type { Application } from '#contract/account.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { useList, useMay } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { CodeChips, Facts } from '../../parts/code.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { DialogButton } from '../../parts/formDialog.tsx'
import { Paged } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { RegisterDialog, RotateDialog, TokenDialog } from './applicationDialogs.tsx'
import { RevokeButton } from './revokeButton.tsx'

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
        { name: 'id', label: words.tokenLabel, cell: ({ tokenId }) => <code>{tokenId}</code> },
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
      button={{ isSmall: true, look: 'quiet', icon: Trash2, label: `${words.remove} ${name}` }}
      title={words.removeTitle(name)}
      label={words.remove}
      typed={{ text: name, label: words.removeConfirm(name) }}
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

/** The programs of the team: their registration, secrets and tokens. */
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
      <PageHead title={frameWords.title('applications')} below={words.intro} actions={register} />
      <Paged of={list} skeleton={4} none={<Empty title={words.noneTitle}>{words.none}</Empty>}>
        {(rows) => rows.map((each) => <OneApplication key={each.applicationId} of={each} />)}
      </Paged>
    </>
  )
}
