import type { ComponentChildren } from 'preact'
import { Field } from './field.tsx'

type Named = {
  label: string
  issue?: string | undefined
  help?: ComponentChildren
  isOptional?: boolean | undefined
  name?: string | undefined
}

type TextProps = Named & {
  value: string
  onChange: (text: string) => void
  /** If set, the field has several lines and a monospaced font. */
  rows?: number | undefined
  type?: string
  autocomplete?: string
  inputMode?: 'decimal' | 'text'
  placeholder?: string | undefined
  maxLength?: number
  required?: boolean
  readOnly?: boolean
  disabled?: boolean
  onBlur?: () => void
}

/** A text field with label, help and issue. */
export function TextField({ label, issue, help, isOptional, rows, type = 'text', onChange, ...input }: TextProps) {
  return (
    <Field label={label} issue={issue} help={help} isOptional={isOptional}>
      {({ id, describedBy, isInvalid }) => {
        const common = {
          autocomplete: 'off',
          spellcheck: false,
          ...input,
          id,
          'aria-describedby': describedBy,
          'aria-invalid': isInvalid,
        } as const
        if (rows)
          return (
            <textarea {...common} rows={rows} class="mono" onInput={(event) => onChange(event.currentTarget.value)} />
          )
        // `type` is a union whose members each have their own attributes.
        return <input {...common} type={type as 'text'} onInput={(event) => onChange(event.currentTarget.value)} />
      }}
    </Field>
  )
}

/** The values of a choice, and their texts. */
export type Choices = readonly (readonly [value: string, text: string])[]

export const Options = ({ of }: { of: Choices }) => (
  <>
    {of.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </>
)

type SelectProps<Value extends string> = Named & {
  value: Value
  options: Choices
  disabled?: boolean
  onChange: (value: Value) => void
}

/** One value of a list with its label, its help and its issue. */
export function SelectField<Value extends string>({
  label,
  issue,
  help,
  isOptional,
  options,
  onChange,
  ...select
}: SelectProps<Value>) {
  return (
    <Field label={label} issue={issue} help={help} isOptional={isOptional}>
      {({ id, describedBy, isInvalid }) => (
        <select
          {...select}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          <Options of={options} />
        </select>
      )}
    </Field>
  )
}

type CheckProps = Pick<Named, 'issue' | 'name'> & {
  label: ComponentChildren
  value: boolean
  onChange: (isOn: boolean) => void
}

export const CheckRow = ({ label, issue, value, name, onChange }: CheckProps) => (
  <>
    <label class="checkRow">
      <input type="checkbox" name={name} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
    {issue && <p class="fieldIssue">{issue}</p>}
  </>
)

type RadiosProps<Value extends string> = {
  legend: string
  name: string
  values: readonly Value[]
  value: string
  wordOf: (value: Value) => ComponentChildren
  /** `inline`: side by side; `tall`: each has a second line. */
  variant?: 'inline' | 'tall'
  onChange: (value: Value) => void
}

/** One of a few values, all visible. */
export function Radios<Value extends string>({
  legend,
  name,
  values,
  value,
  wordOf,
  variant,
  onChange,
}: RadiosProps<Value>) {
  const rows = values.map((each) => (
    <label key={each} class={variant === 'tall' ? 'checkRow tall' : 'checkRow'}>
      <input type="radio" name={name} checked={value === each} onChange={() => onChange(each)} />
      <span>{wordOf(each)}</span>
    </label>
  ))
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {variant === 'inline' ? <div class="radios">{rows}</div> : rows}
    </fieldset>
  )
}

type TabsProps<Value extends string> = {
  label: string
  /** The name of each tab by its value. */
  of: Readonly<Record<Value, string>>
  value: Value
  onChange: (value: Value) => void
}

/** Buttons of which one is pressed, to choose what is shown. */
export const Tabs = <Value extends string>({ label, of, value, onChange }: TabsProps<Value>) => (
  <div class="tabs" role="group" aria-label={label}>
    {(Object.entries(of) as [Value, string][]).map(([each, text]) => (
      <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
        {text}
      </button>
    ))}
  </div>
)
