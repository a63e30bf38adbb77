import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { frameWords } from '#dashboard/words/en/frame.ts'
import type { Action } from '../data/action.ts'
import { Button, CopyButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './view.tsx'

type ConfirmProps = {
  title: string
  children?: ComponentChildren
  /** The text of the button. */
  label: string
  /** What must be typed, with the label of its field: for what cannot be taken back. */
  typed?: { text: string; label: string }
  look?: 'danger' | 'primary'
  action: Pick<Action, 'isBusy' | 'error'>
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something is done that cannot be taken back, or that reaches others. */
export function ConfirmDialog({
  title,
  children,
  label,
  typed,
  look = 'danger',
  action: { isBusy, error },
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [text, setText] = useState('')
  return (
    <Dialog title={title} onClose={onClose} look="narrow">
      <form
        class="dialogForm"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && (!typed || text === typed.text)) onConfirm()
        }}
      >
        {children}
        {typed && (
          <label class="field">
            <span>{typed.label}</span>
            <input
              type="text"
              value={text}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
        <ProblemLine error={error} />
        <div class="dialogActions">
          <Button onClick={onClose}>{frameWords.cancel}</Button>
          <Button type="submit" look={look} isBusy={isBusy} isDisabled={typed !== undefined && text !== typed.text}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Shows secrets once. They are nowhere in the page after it is closed. */
export function OnceDialog({
  title,
  note,
  values,
  onClose,
}: {
  title: string
  note: string
  values: readonly (readonly [label: string, value: string])[]
  onClose: () => void
}) {
  return (
    <Dialog title={title} look="narrow">
      <p>{note}</p>
      {values.map(([label, value]) => (
        <div key={label} class="field">
          <span class="onceLabel">{label}</span>
          <div class="onceValue">
            <code>{value}</code>
            <CopyButton text={value} />
          </div>
        </div>
      ))}
      <div class="dialogActions">
        <Button look="primary" onClick={onClose}>
          {frameWords.close}
        </Button>
      </div>
    </Dialog>
  )
}
