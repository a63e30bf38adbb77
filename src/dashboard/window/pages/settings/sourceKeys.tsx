import { KeyRound, Plus } from 'lucide'
import type { Application } from '#contract/account.ts'
import { applicationWords } from '#dashboard/words/en/govern.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { SelectField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { RevokeButton } from '../applications/revokeButton.tsx'

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

type KeyDialogProps = { applications: readonly Application[]; replaces?: SourceKey; onClose: () => void }

/** Makes a key of one of the applications, and shows it once. `replaces`: the key that it is to replace. */
const KeyDialog = ({ applications, replaces, onClose }: KeyDialogProps) => (
  <FormDialog
    title={replaces ? words.rotateKeyTitle(replaces.application.name) : words.newKey}
    label={words.newKey}
    isNarrow
    start={{ applicationId: (replaces?.application ?? applications[0])?.applicationId ?? '', expires: '365d' }}
    changes={['applications']}
    call={(api, { applicationId, expires }) =>
      api.createApplicationToken({ applicationId, body: { scopes: [keyScope], expires } })
    }
    onceOf={({ token }) => ({
      title: words.keyMade,
      note: applicationWords.secretNote,
      values: [[words.key, token]],
    })}
    onClose={onClose}
  >
    {({ field }) => (
      <>
        {replaces ? (
          <p>{words.rotateKeyText}</p>
        ) : (
          <SelectField
            {...field('applicationId')}
            label={words.keyOf}
            options={applications.map((each) => [each.applicationId, each.name])}
          />
        )}
        <SelectField
          {...field('expires')}
          label={applicationWords.tokenLife}
          options={Object.entries(applicationWords.lives)}
        />
      </>
    )}
  </FormDialog>
)

function Keys({ applications }: { applications: readonly Application[] }) {
  const keys = keysOf(applications)
  const offered = applications.filter(mayHaveKeys)
  const rotate = (sourceKey: SourceKey) => (
    <DialogButton
      isSmall
      icon={KeyRound}
      dialog={(close) => <KeyDialog applications={offered} replaces={sourceKey} onClose={close} />}
    >
      {words.rotateKey}
    </DialogButton>
  )
  return (
    <>
      {keys.length === 0 ? (
        <p class="soft">{words.noKeys}</p>
      ) : (
        <Cards
          label={words.keysTitle}
          columns={[
            { name: 'key', label: words.key, cell: ({ tokenId }) => <code>{tokenId}</code> },
            { name: 'application', label: words.keyOf, cell: ({ application }) => application.name },
            {
              name: 'expires',
              label: applicationWords.expires,
              cell: ({ expiresAt }) => <Time at={expiresAt} look="ago" />,
            },
          ]}
          actions={(sourceKey) => (
            <>
              {rotate(sourceKey)}
              <RevokeButton tokenId={sourceKey.tokenId} />
            </>
          )}
          rows={keys}
          keyOf={({ tokenId }) => tokenId}
        />
      )}
      <div class="row">
        <DialogButton
          icon={Plus}
          why={offered.length === 0 ? words.noApplication : undefined}
          dialog={(close) => <KeyDialog applications={offered} onClose={close} />}
        >
          {words.newKey}
        </DialogButton>
      </div>
    </>
  )
}

/** The secret keys with which servers send to the sources. Owners alone see and make them. */
export function SourceKeys() {
  const { may, why } = useMay('application:write')
  const reading = useRead(['applications', 'keys'], (api) => api.listApplications({ limit: 100 }), {
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
