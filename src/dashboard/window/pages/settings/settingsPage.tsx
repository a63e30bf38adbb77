import { Trash2 } from 'lucide'
import { useLocation } from 'preact-iso/router'
import type { Tag } from '#contract/tag.ts'
import { type TagDraft, tagDraftOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { ChangedDialog } from '../../parts/changedDialog.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { lazyPart } from '../../parts/lazyPart.tsx'
import { NotLiveNotice } from '../../parts/notLive.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { Hosts } from '../install/hosts.tsx'
import { SourceKeys } from './sourceKeys.tsx'
import { TagFields } from './tagFields.tsx'
import { type TagFormState, useTagForm } from './useTagForm.ts'

/** Loaded after the settings: most tags have no shop. */
const Shops = lazyPart(
  () => import('./shops.tsx').then((part) => part.Shops),
  () => <Skeleton rows={3} />,
)

const textOf = (draft: TagDraft, name: keyof TagDraft) => `${draft[name]}` || manageWords.none

/** Both versions of each setting of which somebody else saved another value. */
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
            button={{ look: 'danger', icon: Trash2, why }}
            title={words.deleteAsk(name)}
            label={words.deleteButton}
            typed={{ text: name, label: words.deleteConfirm(name) }}
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

/** Undo and save; and what a save was refused for. */
function Foot({ form }: { form: TagFormState }) {
  const { why } = useMay('tag:write')
  const { changed, state, issues, error } = form
  return (
    <div class="formActions">
      <p class="soft" role="status">
        {state === 'saved' ? <span class="saved">{words.saved}</span> : words.fields(changed.length)}
      </p>
      {issues[''] && (
        <p class="fieldIssue" role="alert">
          {issues['']}
        </p>
      )}
      {error !== undefined && !issues[''] && <ProblemLine error={error} />}
      <Button look="quiet" isDisabled={changed.length === 0} onClick={form.restart}>
        {words.restart}
      </Button>
      <Button
        type="submit"
        look="primary"
        why={why ?? (changed.length === 0 ? words.nothing : undefined)}
        isBusy={state === 'busy'}
      >
        {words.save}
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
        <legend class="hidden">{frameWords.title('settings')}</legend>
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
      <PageHead title={frameWords.title('settings')} below={<code>{tagId}</code>} />
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
