import { KeyRound, Plus, Trash2 } from 'lucide'
import { useLocation } from 'preact-iso/router'
import type { Application } from '#contract/account.ts'
import type { Tag } from '#contract/tag.ts'
import { type TagDraft, tagDraftOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords } from '#dashboard/words/en/govern.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { Button, type ButtonProps } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ChangedDialog } from '../../parts/changedDialog.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { SelectField } from '../../parts/inputs.tsx'
import { lazyPart } from '../../parts/lazyPart.tsx'
import { NotLiveNotice } from '../../parts/notLive.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { RevokeButton } from '../applications/revokeButton.tsx'
import { Hosts } from '../install/hosts.tsx'
import { TagFields } from './tagFields.tsx'
import { type TagFormState, useTagForm } from './useTagForm.ts'

/** The scope of a source key. A token that also has other scopes is not a source key. */
const keyScope = 'event:write' as const

type SourceKey = { tokenId: string; expiresAt: number; application: Application }

const keysOf = (applications: readonly Application[]): SourceKey[] =>
  applications.flatMap((application) =>
    application.tokens.flatMap(({ tokenId, expiresAt, scopes }) =>
      scopes.length === 1 && scopes[0] === keyScope ? [{ tokenId, expiresAt, application }] : [],
    ),
  )

const mayHaveKeys = ({ status, scopes }: Application) => status === 'approved' && scopes.includes(keyScope)

type KeyButtonProps = { applications: readonly Application[]; replaces?: SourceKey; button: ButtonProps }

/** Creates a key of an application, and shows it once. `replaces`: the key to replace. */
const KeyButton = ({ applications, replaces, button }: KeyButtonProps) => (
  <FormButton
    button={button}
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
  </FormButton>
)

function Keys({ applications }: { applications: readonly Application[] }) {
  const keys = keysOf(applications)
  const offered = applications.filter(mayHaveKeys)
  const rotate = { isSmall: true, icon: KeyRound, children: words.rotateKey }
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
              cell: ({ expiresAt }) => <Time at={expiresAt} format="ago" />,
            },
          ]}
          actions={(sourceKey) => (
            <>
              <KeyButton applications={offered} replaces={sourceKey} button={rotate} />
              <RevokeButton tokenId={sourceKey.tokenId} />
            </>
          )}
          rows={keys}
          keyOf={({ tokenId }) => tokenId}
        />
      )}
      <div class="row">
        <KeyButton
          applications={offered}
          button={{ icon: Plus, why: offered.length === 0 ? words.noApplication : undefined }}
        />
      </div>
    </>
  )
}

/** The secret keys with which servers send to the sources. Only owners see and create them. */
function SourceKeys() {
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

/** Loaded after the settings: most tags have no shop. */
const Shops = lazyPart(
  () => import('./shops.tsx').then((part) => part.Shops),
  () => <Skeleton rows={3} />,
)

const textOf = (draft: TagDraft, name: keyof TagDraft) => `${draft[name]}` || frameWords.none

/** Both values of each setting whose saved value differs from the form. */
function Conflict({ tagId, form }: { tagId: string; form: TagFormState }) {
  const theirs = useRead(['theirTag', tagId], (api) => api.readTag({ tagId }), { staleMs: 0 })
  if (!theirs.data) return <ProblemLine error={theirs.error} />
  const saved = tagDraftOf(theirs.data)
  const names = (Object.keys(saved) as (keyof TagDraft)[]).filter((name) => saved[name] !== form.draft[name])
  return (
    <ChangedDialog
      rows={names.map((name) => ({
        name,
        label: words.labels[name],
        mine: textOf(form.draft, name),
        theirs: textOf(saved, name),
      }))}
      onMine={() => void form.save(true)}
      onTheirs={() => location.reload()}
      onClose={form.cancel}
    />
  )
}

function DeleteTag({ tag: { tagId, name, version } }: { tag: Tag }) {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('tag:write')
  return (
    <div class="dangerPanel">
      <Panel title={words.deleteTitle} note={words.deleteText}>
        <div class="row">
          <ConfirmButton
            button={{ variant: 'danger', icon: Trash2, why }}
            title={frameWords.deleteTitle(name)}
            label={words.deleteButton}
            typed={{ text: name, label: frameWords.deleteConfirm(name) }}
            changes={['me']}
            call={(api) => api.deleteTag({ tagId, ifMatch: version })}
            onDone={() => route(address('team', {}))}
            text={words.deleteText}
          />
        </div>
      </Panel>
    </div>
  )
}

/** Undo and save; and the reason if a save was refused. */
function Foot({ form }: { form: TagFormState }) {
  const { why } = useMay('tag:write')
  const { changed, state, issues, error } = form
  return (
    <div class="formActions">
      <p class="soft" role="status">
        {state === 'saved' ? <span class="saved">{frameWords.savedLive}</span> : words.fields(changed.length)}
      </p>
      {issues[''] && (
        <p class="fieldIssue" role="alert">
          {issues['']}
        </p>
      )}
      {error !== undefined && !issues[''] && <ProblemLine error={error} />}
      <Button variant="quiet" isDisabled={changed.length === 0} onClick={form.restart}>
        {frameWords.undo}
      </Button>
      <Button
        type="submit"
        variant="primary"
        why={why ?? (changed.length === 0 ? frameWords.unchanged : undefined)}
        isBusy={state === 'busy'}
      >
        {frameWords.saveDeploy}
      </Button>
    </div>
  )
}

function SettingsForm({ tag }: { tag: Tag }) {
  const form = useTagForm(tag)
  const { may } = useMay('tag:write')
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.save()
      }}
    >
      <fieldset class="stack" disabled={!may}>
        <legend class="hidden">{frameWords.title.settings}</legend>
        <div class="columns">
          <TagFields form={form} />
        </div>
      </fieldset>
      <Foot form={form} />
      {form.state === 'conflict' && <Conflict tagId={tag.tagId} form={form} />}
    </form>
  )
}

function Settings({ tagId }: { tagId: string }) {
  const reading = useRead(['tag', tagId], (api) => api.readTag({ tagId }), { everyMs: 30_000 })
  return (
    <>
      <PageHead title={frameWords.title.settings} below={<code>{tagId}</code>} />
      <View of={reading} skeleton={<Skeleton rows={8} />}>
        {(tag) => (
          <>
            <NotLiveNotice tagId={tagId} of={tag} />
            <SettingsForm tag={tag} />
            <Shops tag={tag} />
            <SourceKeys />
            <Hosts tagId={tagId} reading={reading} canRemove />
            <DeleteTag tag={tag} />
          </>
        )}
      </View>
    </>
  )
}

/** All settings of a tag, and its deletion. */
export default tagPage(Settings)
