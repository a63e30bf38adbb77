import { ExternalLink, KeyRound } from 'lucide'
import { useState } from 'preact/hooks'
import { type FieldRow, type FieldValue, parseSealed } from '#dashboard/form/channelForm.ts'
import { sealCommand } from '#dashboard/form/sealCommand.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { ago } from '#dashboard/words/format.ts'
import { useHere } from '../../data/here.tsx'
import { now } from '../../data/signal.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { CheckRow, Options } from '../../parts/inputs.tsx'
import { Mark } from '../../parts/status.tsx'
import { Ticked } from '../../parts/ticked.tsx'

const Help = ({ row }: { row: FieldRow }) => (
  <>
    {row.description && <Ticked text={row.description} />}{' '}
    {row.helpLink && (
      <a href={row.helpLink} target="_blank" rel="noreferrer">
        {words.helpLink}
        <Icon of={ExternalLink} />
      </a>
    )}
  </>
)

type InputProps = {
  row: FieldRow
  value: FieldValue
  issue: string | undefined
  onChange: (next: FieldValue) => void
}

type ControlProps = InputProps & { id: string; describedBy: string; isInvalid: boolean }

const isLong = ({ inputType, placeholder }: FieldRow) =>
  inputType === 'code' || inputType === 'json' || inputType === 'pairs' || (placeholder?.includes('\n') ?? false)

/** The control of a field by its input type. */
function Control({ row, value, onChange, id, describedBy, isInvalid }: ControlProps) {
  const [isShown, setShown] = useState(false)
  const set = (text: string) => onChange({ text, isKept: false })
  const common = {
    id,
    name: row.variable,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    autocomplete: 'off',
    spellcheck: false,
    'data-1p-ignore': true,
  } as const
  if (row.inputType === 'select')
    return (
      <select {...common} value={value.text} onChange={(event) => set(event.currentTarget.value)}>
        <Options of={row.options?.map(({ value: each = '', label = each }) => [each, label]) ?? []} />
      </select>
    )
  if (isLong(row))
    return (
      <textarea
        {...common}
        rows={row.inputType === 'code' ? 14 : 6}
        class="mono"
        placeholder={row.placeholder}
        value={value.text}
        onInput={(event) => set(event.currentTarget.value)}
      />
    )
  // `type` is a union whose members each have their own attributes.
  const type = (row.sensitive && !isShown ? 'password' : row.inputType === 'url' ? 'url' : 'text') as 'text'
  return (
    <div class="inputRow">
      <input
        {...common}
        type={type}
        autocomplete={row.sensitive ? 'new-password' : 'off'}
        placeholder={row.placeholder}
        value={value.text}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {row.sensitive && <Button onClick={() => setShown(!isShown)}>{isShown ? words.hide : words.show}</Button>}
    </div>
  )
}

/** A page over plain http has no WebCrypto: a command seals the value, and its output is pasted. */
function SealedControl({
  row,
  value,
  providerId,
  onChange,
  id,
  describedBy,
  isInvalid,
}: ControlProps & { providerId: string }) {
  const { environment } = useHere()
  const isBroken = Boolean(value.sealed && !parseSealed(value.sealed, row.variable))
  return (
    <>
      <p class="hint">{words.noCrypto}</p>
      <Code text={sealCommand(providerId, row.variable, row.type, environment)} label={row.variable} />
      <textarea
        id={id}
        name={row.variable}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || isBroken}
        rows={4}
        class="mono"
        placeholder={words.sealedEntry}
        value={value.sealed ?? ''}
        spellcheck={false}
        onInput={(event) => onChange({ text: '', isKept: false, sealed: event.currentTarget.value })}
      />
      {isBroken && !isInvalid && <p class="fieldIssue">{words.sealedBroken}</p>}
    </>
  )
}

/** One variable of a provider. A stored secret is never shown, but can be replaced. */
export function SecretField({ row, value, issue, onChange, providerId }: InputProps & { providerId: string }) {
  const [{ isKept: wasKept, setAt }] = useState(value)
  const label = row.label ?? row.variable
  if (row.inputType === 'checkbox')
    return (
      <div class="field">
        <CheckRow
          label={label}
          name={row.variable}
          value={value.text === '1'}
          onChange={(isOn) => onChange({ text: isOn ? '1' : '0', isKept: false })}
        />
        <p class="hint">
          <Help row={row} />
        </p>
      </div>
    )
  const help = (
    <>
      <Help row={row} /> {row.sensitive && !value.isKept && words.sealedNote}
    </>
  )
  return (
    <Field label={label} issue={issue} help={help} isOptional={row.optional}>
      {(ids) =>
        value.isKept ? (
          <div class="inputRow kept" id={ids.id}>
            <Mark icon={KeyRound} tone="good">
              {value.setAt === undefined ? words.isSet : words.setSince(ago(value.setAt, now.value))}
            </Mark>
            <Button onClick={() => onChange({ text: '', isKept: false })}>{words.replace}</Button>
          </div>
        ) : (
          <>
            {crypto.subtle ? (
              <Control row={row} value={value} issue={issue} onChange={onChange} {...ids} />
            ) : (
              <SealedControl
                row={row}
                value={value}
                issue={issue}
                onChange={onChange}
                providerId={providerId}
                {...ids}
              />
            )}
            {wasKept && (
              <button type="button" class="linkButton" onClick={() => onChange({ text: '', isKept: true, setAt })}>
                {words.keep}
              </button>
            )}
          </>
        )
      }
    </Field>
  )
}
