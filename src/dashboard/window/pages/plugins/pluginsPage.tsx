import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import type { Manifest } from '#contract/manifest.ts'
import type { Tag, TagPlugin } from '#contract/tag.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { moved, type PluginField, pluginFields, settingText, settingValue } from '#dashboard/form/pluginForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { pluginWords as words } from '#dashboard/words/en/plugins.ts'
import { useAction } from '../../data/action.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { useManifest } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Options, SelectField, TextField } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Ticked } from '../../parts/ticked.tsx'
import { Empty, ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { PluginTry } from './pluginTry.tsx'

type SettingProps = {
  field: PluginField
  value: unknown
  isReadOnly: boolean
  onChange: (value: unknown) => void
}

const choicesOf = ({ kind, choices }: PluginField) =>
  kind === 'yesNo' ? Object.entries(words.yesNo) : choices.map((each): [string, string] => [each, each])

const hintOf = ({ kind, description, isRequired }: PluginField) =>
  [
    description && `${description[0]!.toUpperCase()}${description.slice(1)}.`,
    isRequired && words.required,
    kind === 'lines' && words.linesHint,
    kind === 'json' && words.jsonHint,
  ]
    .filter(Boolean)
    .join(' ')

/** One setting of a plugin, with the control of its schema. */
function PluginSetting({ field, value, isReadOnly, onChange }: SettingProps) {
  const { label, kind, isRequired } = field
  // Keeps the text as typed: "1." is an unfinished number.
  const [text, setText] = useState(() => settingText(field, value))
  const set = (next: string) => {
    setText(next)
    onChange(settingValue(field, next))
  }
  const common = {
    label,
    help: hintOf(field),
    isOptional: !isRequired,
    value: text,
    disabled: isReadOnly,
    onChange: set,
  }
  if (kind === 'yesNo' || kind === 'choice')
    return <SelectField {...common} options={[['', frameWords.notSet], ...choicesOf(field)]} />
  if (kind === 'lines' || kind === 'json') return <TextField {...common} rows={4} />
  return <TextField {...common} inputMode={kind === 'number' ? 'decimal' : 'text'} />
}

type PluginRow = NonNullable<Manifest['plugins']>[number]
type ChainProps = { rows: readonly PluginRow[]; chain: readonly TagPlugin[]; onChange: (next: TagPlugin[]) => void }

/** One plugin of the chain: its position and settings. */
function OnePlugin({ rows, chain, onChange, at }: ChainProps & { at: number }) {
  const { why } = useMay('tag:write')
  const { plugin, settings = {} } = chain[at]!
  const row = rows.find(({ value }) => value === plugin)
  const name = row?.label ?? plugin
  const fields = pluginFields(row?.settings)
  const small = { isSmall: true, variant: 'quiet', why } as const
  const isLast = at === chain.length - 1
  const move = (by: -1 | 1) => () => onChange(moved(chain, at, by))
  const change = (field: string, value: unknown) => {
    const { [field]: _, ...others } = settings
    const next = value === undefined ? others : { ...others, [field]: value }
    onChange(chain.map((each, n) => (n === at ? { plugin, settings: next } : each)))
  }
  return (
    <Panel
      title={name}
      note={row?.description && <Ticked text={row.description} />}
      actions={
        <>
          <Button {...small} icon={ArrowUp} label={words.up(name)} isDisabled={at === 0} onClick={move(-1)} />
          <Button {...small} icon={ArrowDown} label={words.down(name)} isDisabled={isLast} onClick={move(1)} />
          <Button
            {...small}
            icon={Trash2}
            label={frameWords.removeNamed(name)}
            onClick={() => onChange(chain.filter((_, n) => n !== at))}
          />
        </>
      }
    >
      {fields.length === 0 && <p class="soft">{words.noSettings}</p>}
      {fields.map((field) => (
        <PluginSetting
          key={field.name}
          field={field}
          value={settings[field.name]}
          isReadOnly={why !== undefined}
          onChange={(value) => change(field.name, value)}
        />
      ))}
    </Panel>
  )
}

function AddPlugin({ rows, chain, onChange }: ChainProps) {
  const { why } = useMay('tag:write')
  const free = rows.filter(({ value }) => value && !chain.some(({ plugin }) => plugin === value))
  const [chosen, setChosen] = useState('')
  const plugin = free.find(({ value }) => value === chosen)?.value ?? free[0]?.value
  if (!plugin) return null
  return (
    <form
      class="inputRow inlineForm narrowForm"
      onSubmit={(event) => {
        event.preventDefault()
        if (!why) onChange([...chain, { plugin }])
      }}
    >
      <select aria-label={words.add} value={plugin} onChange={(event) => setChosen(event.currentTarget.value)}>
        <Options of={free.map(({ value = '', label = value }) => [value, label])} />
      </select>
      <Button type="submit" icon={Plus} why={why}>
        {frameWords.add}
      </Button>
    </form>
  )
}

/** The chain as edited, and how it is saved. */
function useChain(tag: Tag) {
  const action = useAction('tag', 'deployments', 'draft')
  const [chain, setChain] = useState<TagPlugin[]>([...tag.plugins])
  const [saved, setSaved] = useState(JSON.stringify(tag.plugins))
  const [isSaved, setDone] = useState(false)
  const save = async () => {
    const body = { plugins: chain }
    const done = await action.run((api) => api.updateTag({ tagId: tag.tagId, body, ifMatch: tag.version }))
    if (!done) return
    setSaved(JSON.stringify(chain))
    setDone(true)
  }
  const change = (next: TagPlugin[]) => {
    setChain(next)
    setDone(false)
  }
  const undo = () => change([...tag.plugins])
  return { action, chain, change, save, undo, isSaved, isChanged: JSON.stringify(chain) !== saved }
}

function Foot({ form }: { form: ReturnType<typeof useChain> }) {
  const { why } = useMay('tag:write')
  const { action, isChanged, isSaved, undo, save } = form
  return (
    <div class="formActions">
      {issuesOf(action.error).map(({ path, message }) => (
        <p key={path} class="fieldIssue" role="alert">
          {path} {message}
        </p>
      ))}
      {issuesOf(action.error).length === 0 && <ProblemLine error={action.error} />}
      <p class="soft" role="status">
        {isSaved ? <span class="saved">{frameWords.savedLive}</span> : isChanged ? words.changed : frameWords.unchanged}
      </p>
      <Button variant="quiet" isDisabled={!isChanged} onClick={undo}>
        {frameWords.undo}
      </Button>
      <Button variant="primary" why={why} isBusy={action.isBusy} isDisabled={!isChanged} onClick={() => void save()}>
        {frameWords.saveDeploy}
      </Button>
    </div>
  )
}

function Chain({ tag, rows }: { tag: Tag; rows: readonly PluginRow[] }) {
  const form = useChain(tag)
  const part = { rows, chain: form.chain, onChange: form.change }
  return (
    <>
      {form.chain.length === 0 && <Empty title={words.noneTitle}>{words.none}</Empty>}
      <ol class="stack" aria-label={words.chain}>
        {form.chain.map(({ plugin }, at) => (
          <li key={plugin}>
            <OnePlugin {...part} at={at} />
          </li>
        ))}
      </ol>
      <AddPlugin {...part} />
      <PluginTry tagId={tag.tagId} chain={form.chain} />
      <Foot form={form} />
    </>
  )
}

function Plugins({ tagId }: { tagId: string }) {
  const tag = useRead(['tag', tagId], (api) => api.readTag({ tagId }))
  const manifest = useManifest()
  return (
    <>
      <PageHead title={frameWords.title.plugins} below={words.intro} />
      <View of={tag} skeleton={<Skeleton rows={4} />}>
        {(of) => (
          <View of={manifest} skeleton={<Skeleton rows={4} />}>
            {({ plugins = [] }) => <Chain tag={of} rows={plugins} />}
          </View>
        )}
      </View>
    </>
  )
}

/** A tag's plugins: their order and settings. */
export default tagPage(Plugins)
