import { useState } from 'preact/hooks'
import { type PluginField, settingText, settingValue } from '#dashboard/form/pluginForm.ts'
import { pluginWords as words } from '#dashboard/words/en/plugins.ts'
import { SelectField, TextField } from '../../parts/inputs.tsx'

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

/** One setting of a plugin, by the kind of its schema. */
export function PluginSetting({ field, value, isReadOnly, onChange }: SettingProps) {
  const { label, kind, isRequired } = field
  // The text stays as it is typed: "1." is a number on its way.
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
    return <SelectField {...common} options={[['', words.unset], ...choicesOf(field)]} />
  if (kind === 'lines' || kind === 'json') return <TextField {...common} rows={4} />
  return <TextField {...common} inputMode={kind === 'number' ? 'decimal' : 'text'} />
}
