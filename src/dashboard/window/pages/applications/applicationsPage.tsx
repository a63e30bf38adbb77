import { CircleCheck, Clock, KeyRound, Plus, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import type { Application } from '#contract/account.ts'
import type { Client } from '#contract/client.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { callsOf, keyOf, useHere, useMay } from '../../data/here.tsx'
import { usePaged } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Facts } from '../../parts/code.tsx'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/view.tsx'
import { RegisterDialog, RotateDialog, TokenDialog } from './applicationDialogs.tsx'

type Token = Application['tokens'][number]
const looks = {
  pending: { icon: Clock, tone: 'wait' },
  approved: { icon: CircleCheck, tone: 'good' },
} as const

const tokenColumns = [
  { name: 'id', label: words.tokenLabel },
  { name: 'scopes', label: words.scopes },
  { name: 'expires', label: words.expires },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  const action = useAction('applications')
  const [asked, setAsked] = useState<string>()
  const revoke = async () => {
    if (await action.run((api) => api.deleteToken({ tokenId: asked! }))) setAsked(undefined)
  }
  if (tokens.length === 0) return <p class="soft">{words.noTokens}</p>
  return (
    <>
      <Cards<Token>
        label={words.tokens}
        columns={tokenColumns}
        rows={tokens}
        keyOf={({ tokenId }) => tokenId}
        cells={({ tokenId, scopes, expiresAt }) => [
          <code key="id">{tokenId}</code>,
          <span key="scopes" title={scopes.join(' ')}>
            {words.nScopes(scopes.length)}
          </span>,
          <Time key="expires" at={expiresAt} look="ago" />,
          <div key="actions" class="rowActions">
            <Button isSmall onClick={() => setAsked(tokenId)}>
              {words.revoke}
            </Button>
          </div>,
        ]}
      />
      {asked && (
        <ConfirmDialog
          title={words.revokeTitle}
          label={words.revoke}
          action={action}
          onConfirm={revoke}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.revokeText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Remove({ application: { applicationId, name }, onClose }: { application: Application; onClose: () => void }) {
  const action = useAction('applications')
  const remove = async () => {
    if (await action.run((api) => api.deleteApplication({ applicationId }))) onClose()
  }
  return (
    <ConfirmDialog
      title={words.removeTitle(name)}
      label={words.remove}
      typed={{ text: name, label: words.removeConfirm(name) }}
      action={action}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.removeText}</p>
    </ConfirmDialog>
  )
}

const Scopes = ({ of: scopes }: { of: Application['scopes'] }) => (
  <details>
    <summary>{words.nScopes(scopes.length)}</summary>
    <p class="chipRow">
      {scopes.map((scope) => (
        <code key={scope} class="chip">
          {scope}
        </code>
      ))}
    </p>
  </details>
)

function OneApplication({ of }: { of: Application }) {
  const [open, setOpen] = useState<'token' | 'rotate' | 'remove'>()
  const close = () => setOpen(undefined)
  const { applicationId, name, status, isPublic, scopes, redirectUris, createdAt, tokens } = of
  return (
    <Panel
      title={name}
      note={<code>{applicationId}</code>}
      actions={
        <div class="rowActions">
          <Button
            isSmall
            icon={Plus}
            why={status === 'pending' ? words.notApproved : undefined}
            onClick={() => setOpen('token')}
          >
            {words.token}
          </Button>
          <Button
            isSmall
            icon={KeyRound}
            why={isPublic ? words.isPublicWhy : undefined}
            onClick={() => setOpen('rotate')}
          >
            {words.rotate}
          </Button>
          <Button
            isSmall
            look="quiet"
            icon={Trash2}
            label={`${words.remove} ${name}`}
            onClick={() => setOpen('remove')}
          />
        </div>
      }
    >
      <p class="stateLine">
        <Mark {...looks[status]}>{words.status[status]}</Mark>
        {isPublic && <span class="chip">{words.public}</span>}
      </p>
      <Facts
        of={[[words.created, createdAt], redirectUris.length > 0 && [words.redirectUris, redirectUris.join(', ')]]}
      />
      <Scopes of={scopes} />
      <h3>{words.tokens}</h3>
      <Tokens tokens={tokens} />
      {open === 'token' && <TokenDialog application={of} onClose={close} />}
      {open === 'rotate' && <RotateDialog application={of} onClose={close} />}
      {open === 'remove' && <Remove application={of} onClose={close} />}
    </Panel>
  )
}

/** The programs of the team: their registration, secrets and tokens. */
export default function ApplicationsPage() {
  const here = useHere()
  const { may, why } = useMay('application:write')
  const [isOpen, setOpen] = useState(false)
  const list = usePaged<Awaited<ReturnType<Client['listApplications']>>, Application>({
    queryKey: keyOf(here, ['applications']),
    read: (cursor, signal) => callsOf(here, signal).listApplications({ limit: 100, ...(cursor && { cursor }) }),
    rowsOf: ({ applications }) => applications,
    nextOf: ({ next }) => next,
  })
  const register = (
    <Button look="primary" icon={Plus} why={why} onClick={() => setOpen(true)}>
      {words.register}
    </Button>
  )
  const body = () => {
    if (list.isLoading) return <Skeleton rows={4} />
    if (list.error) return <ProblemNote error={list.error} onRetry={list.reload} />
    if (list.rows.length === 0) return <Empty title={words.noneTitle}>{words.none}</Empty>
    return list.rows.map((each) => <OneApplication key={each.applicationId} of={each} />)
  }
  return (
    <>
      <PageHead title={frameWords.title('applications')} below={words.intro} actions={register} />
      {body()}
      {list.hasMore && (
        <p>
          <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
            {manageWords.more}
          </Button>
        </p>
      )}
      {isOpen && may && <RegisterDialog onClose={() => setOpen(false)} />}
    </>
  )
}
