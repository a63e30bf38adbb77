import { Plus } from 'lucide'
import type { Hook, HookKind } from '#contract/hook.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { hookWords as words } from '#dashboard/words/en/govern.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { Radios, TextField } from '../../parts/inputs.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'

/** Adds a hook, and shows its signing key once. */
const AddButton = ({ why }: { why: string | undefined }) => (
  <FormButton
    button={{ variant: 'primary', icon: Plus, why }}
    title={words.add}
    label={frameWords.add}
    isNarrow
    start={{ url: '', kind: 'deploy' as HookKind }}
    isReady={({ url }) => url.trim() !== ''}
    changes={['hooks']}
    call={(api, { url, kind }) => api.createHook({ body: { url: url.trim(), kind } })}
    onceOf={({ secret }) => ({ title: words.secretTitle, note: words.secretNote, values: [[words.secret, secret]] })}
  >
    {({ field }) => (
      <>
        <TextField
          {...field('url')}
          label={frameWords.address}
          help={words.urlHint}
          type="url"
          placeholder={words.urlPlaceholder}
        />
        <Radios
          {...field('kind')}
          legend={words.kind}
          values={['deploy', 'alert']}
          wordOf={(each) => words.kinds[each]}
        />
      </>
    )}
  </FormButton>
)

const Remove = ({ of: { hookId, url }, why }: { of: Hook; why: string | undefined }) => (
  <ConfirmButton
    button={{ isSmall: true, why }}
    title={words.removeTitle}
    label={frameWords.remove}
    changes={['hooks']}
    call={(api) => api.deleteHook({ hookId })}
  >
    <p>
      <bdi>{url}</bdi>
    </p>
    <p>{words.removeText}</p>
  </ConfirmButton>
)

function Hooks({ hooks }: { hooks: readonly Hook[] }) {
  const { why } = useMay('hook:write')
  return (
    <div class="panel flush">
      <Cards
        label={frameWords.title.hooks}
        columns={[
          { name: 'url', label: frameWords.address, cell: ({ url }) => <bdi>{url}</bdi> },
          { name: 'kind', label: words.kind, cell: ({ kind }) => words.kindName[kind] },
          { name: 'since', label: frameWords.since, cell: ({ createdAt }) => createdAt },
        ]}
        actions={(hook) => <Remove of={hook} why={why} />}
        rows={hooks}
        keyOf={({ hookId }) => hookId}
      />
    </div>
  )
}

/** Addresses that are called before deployments and for alerts. */
export default function HooksPage() {
  const { why } = useMay('hook:write')
  const reading = useRead(['hooks'], (api) => api.listHooks({ limit: 200 }))
  return (
    <>
      <PageHead title={frameWords.title.hooks} below={words.intro} actions={<AddButton why={why} />} />
      <View of={reading} skeleton={<Skeleton rows={3} />}>
        {({ hooks }) =>
          hooks.length === 0 ? <Empty title={words.noneTitle}>{words.none}</Empty> : <Hooks hooks={hooks} />
        }
      </View>
    </>
  )
}
