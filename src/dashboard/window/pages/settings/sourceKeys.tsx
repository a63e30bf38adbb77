import { KeyRound, Plus } from 'lucide'
import { useState } from 'preact/hooks'
import type { Application } from '#contract/account.ts'
import type { Client } from '#contract/client.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords } from '#dashboard/words/en/govern.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmDialog, OnceDialog } from '../../parts/confirmDialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'

/** The scope of a key of a source. A token with another scope besides it is no such key. */
const keyScope = 'event:write' as const

type SourceKey = { tokenId: string; expiresAt: number; application: Application }

const keysOf = (applications: readonly Application[]): SourceKey[] =>
  applications.flatMap((application) =>
    application.tokens.flatMap(({ tokenId, expiresAt, scopes }) =>
      scopes.length === 1 && scopes[0] === keyScope ? [{ tokenId, expiresAt, application }] : [],
    ),
  )

const mayHaveKeys = ({ status, scopes }: Application) => status === 'approved' && scopes.includes(keyScope)

type Choice = { value: string; options: readonly (readonly [value: string, text: string])[] }

const Choose = ({ label, value, options, onChange }: Choice & { label: string; onChange: (next: string) => void }) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

type KeyDialogProps = { applications: readonly Application[]; replaces?: SourceKey; onClose: () => void }

/** Makes a key of one of the applications, and shows it once. `replaces`: the key that it is to replace. */
function KeyDialog({ applications, replaces, onClose }: KeyDialogProps) {
  const action = useAction('applications')
  const [applicationId, setApplicationId] = useState((replaces?.application ?? applications[0])?.applicationId ?? '')
  const [expires, setExpires] = useState<string>('365d')
  const [key, setKey] = useState<string>()
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { scopes: [keyScope], expires }
    const made = await action.run((api) => api.createApplicationToken({ applicationId, body }))
    if (made) setKey(made.token)
  }
  if (key) {
    const note = applicationWords.secretNote
    return <OnceDialog title={words.keyMade} note={note} values={[[words.key, key]]} onClose={onClose} />
  }
  const title = replaces ? words.rotateKeyTitle(replaces.application.name) : words.newKey
  const names = applications.map((each) => [each.applicationId, each.name] as const)
  return (
    <Dialog title={title} onClose={onClose} look="narrow">
      <form class="dialogForm" onSubmit={create}>
        {replaces ? (
          <p>{words.rotateKeyText}</p>
        ) : (
          <Choose label={words.keyOf} value={applicationId} options={names} onChange={setApplicationId} />
        )}
        <Choose
          label={applicationWords.tokenLife}
          value={expires}
          options={Object.entries(applicationWords.lives)}
          onChange={setExpires}
        />
        <ProblemLine error={action.error} />
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy}>
            {words.newKey}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function RevokeDialog({ sourceKey: { tokenId }, onClose }: { sourceKey: SourceKey; onClose: () => void }) {
  const action = useAction('applications')
  const revoke = async () => {
    if (await action.run((api) => api.deleteToken({ tokenId }))) onClose()
  }
  return (
    <ConfirmDialog
      title={applicationWords.revokeTitle}
      label={applicationWords.revoke}
      action={action}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{applicationWords.revokeText}</p>
    </ConfirmDialog>
  )
}

const columns = [
  { name: 'key', label: words.key },
  { name: 'application', label: words.keyOf },
  { name: 'expires', label: applicationWords.expires },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

type Open = { kind: 'new' } | { kind: 'rotate' | 'revoke'; sourceKey: SourceKey }

function Keys({ applications }: { applications: readonly Application[] }) {
  const [open, setOpen] = useState<Open>()
  const keys = keysOf(applications)
  const offered = applications.filter(mayHaveKeys)
  const close = () => setOpen(undefined)
  return (
    <>
      {keys.length === 0 ? (
        <p class="soft">{words.noKeys}</p>
      ) : (
        <Cards<SourceKey>
          label={words.keysTitle}
          columns={columns}
          rows={keys}
          keyOf={({ tokenId }) => tokenId}
          cells={(sourceKey) => [
            <code key="key">{sourceKey.tokenId}</code>,
            sourceKey.application.name,
            <Time key="expires" at={sourceKey.expiresAt} look="ago" />,
            <div key="actions" class="rowActions">
              <Button isSmall icon={KeyRound} onClick={() => setOpen({ kind: 'rotate', sourceKey })}>
                {words.rotateKey}
              </Button>
              <Button isSmall onClick={() => setOpen({ kind: 'revoke', sourceKey })}>
                {applicationWords.revoke}
              </Button>
            </div>,
          ]}
        />
      )}
      <div class="formFoot">
        <Button
          icon={Plus}
          why={offered.length === 0 ? words.noApplication : undefined}
          onClick={() => setOpen({ kind: 'new' })}
        >
          {words.newKey}
        </Button>
      </div>
      {open?.kind === 'new' && <KeyDialog applications={offered} onClose={close} />}
      {open?.kind === 'rotate' && <KeyDialog applications={offered} replaces={open.sourceKey} onClose={close} />}
      {open?.kind === 'revoke' && <RevokeDialog sourceKey={open.sourceKey} onClose={close} />}
    </>
  )
}

/** The secret keys with which servers send to the sources. Owners alone see and make them. */
export function SourceKeys() {
  const { may, why } = useMay('application:write')
  const reading = useRead(['applications', 'keys'], (api: Client) => api.listApplications({ limit: 100 }), {
    isEnabled: may,
  })
  return (
    <Panel title={words.keysTitle} note={words.keysText}>
      {may ? (
        <View of={reading} skeleton={<Skeleton rows={2} />}>
          {({ applications }) => <Keys applications={applications} />}
        </View>
      ) : (
        <p class="soft">{why}</p>
      )}
    </Panel>
  )
}
