import { useState } from 'preact/hooks'
import { type PluginField, settingText, settingValue } from '#dashboard/form/pluginForm.ts'
import { pluginWords as words } from '#dashboard/words/en/plugins.ts'
import { Field } from '../../parts/field.tsx'

type SettingProps = {
  field: PluginField
  value: unknown
  isReadOnly: boolean
  onChange: (value: unknown) => void
}

const choicesOf = ({ kind, choices }: PluginField) =>
  kind === 'yesNo' ? Object.entries(words.yesNo) : choices.map((each) => [each, each] as const)

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
  const { label: title, kind, isRequired } = field
  // The text stays as it is typed: "1." is a number on its way.
  const [text, setText] = useState(() => settingText(field, value))
  const set = (next: string) => {
    setText(next)
    onChange(settingValue(field, next))
  }
  return (
    <Field label={title} help={hintOf(field)} isOptional={!isRequired}>
      {({ id, describedBy }) => {
        const common = { id, 'aria-describedby': describedBy, value: text, disabled: isReadOnly } as const
        if (kind === 'yesNo' || kind === 'choice')
          return (
            <select {...common} onChange={(event) => set(event.currentTarget.value)}>
              <option value="">{words.unset}</option>
              {choicesOf(field).map(([each, label]) => (
                <option key={each} value={each}>
                  {label}
                </option>
              ))}
            </select>
          )
        if (kind === 'lines' || kind === 'json')
          return (
            <textarea
              {...common}
              rows={4}
              class="mono"
              spellcheck={false}
              onInput={(event) => set(event.currentTarget.value)}
            />
          )
        return (
          <input
            {...common}
            type="text"
            inputMode={kind === 'number' ? 'decimal' : 'text'}
            autocomplete="off"
            onInput={(event) => set(event.currentTarget.value)}
          />
        )
      }}
    </Field>
  )
}
