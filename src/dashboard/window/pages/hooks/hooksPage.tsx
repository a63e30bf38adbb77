import { Plus } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { Hook, HookKind } from '#contract/hook.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { issuesByName } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { hookWords as words } from '#dashboard/words/en/govern.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmDialog, OnceDialog } from '../../parts/confirmDialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Empty, ProblemLine, Skeleton, View } from '../../parts/view.tsx'

/** Adds a hook, and shows its signing key once. */
function AddDialog({ onClose }: { onClose: () => void }) {
  const action = useAction('hooks')
  const [url, setUrl] = useState('')
  const [kind, setKind] = useState<HookKind>('deploy')
  const [secret, setSecret] = useState<string>()
  const issue = issuesByName(issuesOf(action.error), ['url']).url
  const add = async (event: SubmitEvent) => {
    event.preventDefault()
    const made = await action.run((api) => api.createHook({ body: { url: url.trim(), kind } }))
    if (made) setSecret(made.secret)
  }
  if (secret)
    return (
      <OnceDialog
        title={words.secretTitle}
        note={words.secretNote}
        values={[[words.secret, secret]]}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={words.add} onClose={onClose} look="narrow">
      <form class="dialogForm" onSubmit={add} noValidate>
        <Field label={words.url} issue={issue} help={words.urlHint}>
          {({ id, describedBy, isInvalid }) => (
            <input
              type="url"
              id={id}
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              placeholder={words.urlPlaceholder}
              autocomplete="off"
              spellcheck={false}
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          )}
        </Field>
        <fieldset class="field">
          <legend>{words.kind}</legend>
          {(['deploy', 'alert'] as const).map((each) => (
            <label key={each} class="checkRow">
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              {words.kinds[each]}
            </label>
          ))}
        </fieldset>
        {!issue && <ProblemLine error={action.error} />}
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy} isDisabled={url.trim() === ''}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const columns = [
  { name: 'url', label: words.url },
  { name: 'kind', label: words.kind },
  { name: 'since', label: words.since },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

function Hooks({ hooks }: { hooks: readonly Hook[] }) {
  const { why } = useMay('hook:write')
  const action = useAction('hooks')
  const [asked, setAsked] = useState<Hook>()
  const remove = async () => {
    if (await action.run((api) => api.deleteHook({ hookId: asked!.hookId }))) setAsked(undefined)
  }
  return (
    <div class="panel flush">
      <div class="panelBody">
        <Cards<Hook>
          label={frameWords.title('hooks')}
          columns={columns}
          rows={hooks}
          keyOf={({ hookId }) => hookId}
          cells={({ url, kind, createdAt, ...hook }) => [
            <bdi key="url">{url}</bdi>,
            words.kindName(kind),
            createdAt,
            <div key="actions" class="rowActions">
              <Button isSmall why={why} onClick={() => setAsked({ url, kind, createdAt, ...hook })}>
                {words.remove}
              </Button>
            </div>,
          ]}
        />
      </div>
      {asked && (
        <ConfirmDialog
          title={words.removeTitle}
          label={words.remove}
          action={action}
          onConfirm={remove}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <bdi>{asked.url}</bdi>
          </p>
          <p>{words.removeText}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Addresses that are called before deployments and for alerts. */
export default function HooksPage() {
  const { may, why } = useMay('hook:write')
  const [isOpen, setOpen] = useState(false)
  const reading = useRead(['hooks'], (api: Client) => api.listHooks({ limit: 200 }))
  return (
    <>
      <PageHead
        title={frameWords.title('hooks')}
        below={words.intro}
        actions={
          <Button look="primary" icon={Plus} why={why} onClick={() => setOpen(true)}>
            {words.add}
          </Button>
        }
      />
      <View of={reading} skeleton={<Skeleton rows={3} />}>
        {({ hooks }) =>
          hooks.length === 0 ? <Empty title={words.noneTitle}>{words.none}</Empty> : <Hooks hooks={hooks} />
        }
      </View>
      {isOpen && may && <AddDialog onClose={() => setOpen(false)} />}
    </>
  )
}
